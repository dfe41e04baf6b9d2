/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI's functions, but for those that mpi.c wraps by hand, those that return no int, and
 * conversions of handles: of MPI-3.1 with their names in Fortran's spellings, and of later versions
 * those of C, through which the libraries that have them go in Fortran too.
 */
#ifndef DVMDBG_RUNTIME_MPI_LIST_H
#define DVMDBG_RUNTIME_MPI_LIST_H

/* clang-format off */
#define MPI_LIST(X) \
	X(Accumulate, accumulate, ACCUMULATE) \
	X(Add_error_class, add_error_class, ADD_ERROR_CLASS) \
	X(Add_error_code, add_error_code, ADD_ERROR_CODE) \
	X(Add_error_string, add_error_string, ADD_ERROR_STRING) \
	X(Address, address, ADDRESS) \
	X(Allgather, allgather, ALLGATHER) \
	X(Allgatherv, allgatherv, ALLGATHERV) \
	X(Alloc_mem, alloc_mem, ALLOC_MEM) \
	X(Allreduce, allreduce, ALLREDUCE) \
	X(Alltoall, alltoall, ALLTOALL) \
	X(Alltoallv, alltoallv, ALLTOALLV) \
	X(Alltoallw, alltoallw, ALLTOALLW) \
	X(Attr_delete, attr_delete, ATTR_DELETE) \
	X(Attr_get, attr_get, ATTR_GET) \
	X(Attr_put, attr_put, ATTR_PUT) \
	X(Barrier, barrier, BARRIER) \
	X(Bcast, bcast, BCAST) \
	X(Bsend, bsend, BSEND) \
	X(Bsend_init, bsend_init, BSEND_INIT) \
	X(Buffer_attach, buffer_attach, BUFFER_ATTACH) \
	X(Buffer_detach, buffer_detach, BUFFER_DETACH) \
	X(Cancel, cancel, CANCEL) \
	X(Cart_coords, cart_coords, CART_COORDS) \
	X(Cart_create, cart_create, CART_CREATE) \
	X(Cart_get, cart_get, CART_GET) \
	X(Cart_map, cart_map, CART_MAP) \
	X(Cart_rank, cart_rank, CART_RANK) \
	X(Cart_shift, cart_shift, CART_SHIFT) \
	X(Cart_sub, cart_sub, CART_SUB) \
	X(Cartdim_get, cartdim_get, CARTDIM_GET) \
	X(Close_port, close_port, CLOSE_PORT) \
	X(Comm_accept, comm_accept, COMM_ACCEPT) \
	X(Comm_call_errhandler, comm_call_errhandler, COMM_CALL_ERRHANDLER) \
	X(Comm_compare, comm_compare, COMM_COMPARE) \
	X(Comm_connect, comm_connect, COMM_CONNECT) \
	X(Comm_create, comm_create, COMM_CREATE) \
	X(Comm_create_errhandler, comm_create_errhandler, COMM_CREATE_ERRHANDLER) \
	X(Comm_create_group, comm_create_group, COMM_CREATE_GROUP) \
	X(Comm_create_keyval, comm_create_keyval, COMM_CREATE_KEYVAL) \
	X(Comm_delete_attr, comm_delete_attr, COMM_DELETE_ATTR) \
	X(Comm_disconnect, comm_disconnect, COMM_DISCONNECT) \
	X(Comm_dup, comm_dup, COMM_DUP) \
	X(Comm_dup_with_info, comm_dup_with_info, COMM_DUP_WITH_INFO) \
	X(Comm_free, comm_free, COMM_FREE) \
	X(Comm_free_keyval, comm_free_keyval, COMM_FREE_KEYVAL) \
	X(Comm_get_attr, comm_get_attr, COMM_GET_ATTR) \
	X(Comm_get_errhandler, comm_get_errhandler, COMM_GET_ERRHANDLER) \
	X(Comm_get_info, comm_get_info, COMM_GET_INFO) \
	X(Comm_get_name, comm_get_name, COMM_GET_NAME) \
	X(Comm_get_parent, comm_get_parent, COMM_GET_PARENT) \
	X(Comm_group, comm_group, COMM_GROUP) \
	X(Comm_idup, comm_idup, COMM_IDUP) \
	X(Comm_join, comm_join, COMM_JOIN) \
	X(Comm_rank, comm_rank, COMM_RANK) \
	X(Comm_remote_group, comm_remote_group, COMM_REMOTE_GROUP) \
	X(Comm_remote_size, comm_remote_size, COMM_REMOTE_SIZE) \
	X(Comm_set_attr, comm_set_attr, COMM_SET_ATTR) \
	X(Comm_set_errhandler, comm_set_errhandler, COMM_SET_ERRHANDLER) \
	X(Comm_set_info, comm_set_info, COMM_SET_INFO) \
	X(Comm_set_name, comm_set_name, COMM_SET_NAME) \
	X(Comm_size, comm_size, COMM_SIZE) \
	X(Comm_spawn, comm_spawn, COMM_SPAWN) \
	X(Comm_spawn_multiple, comm_spawn_multiple, COMM_SPAWN_MULTIPLE) \
	X(Comm_split, comm_split, COMM_SPLIT) \
	X(Comm_split_type, comm_split_type, COMM_SPLIT_TYPE) \
	X(Comm_test_inter, comm_test_inter, COMM_TEST_INTER) \
	X(Compare_and_swap, compare_and_swap, COMPARE_AND_SWAP) \
	X(Dims_create, dims_create, DIMS_CREATE) \
	X(Dist_graph_create, dist_graph_create, DIST_GRAPH_CREATE) \
	X(Dist_graph_create_adjacent, dist_graph_create_adjacent, DIST_GRAPH_CREATE_ADJACENT) \
	X(Dist_graph_neighbors, dist_graph_neighbors, DIST_GRAPH_NEIGHBORS) \
	X(Dist_graph_neighbors_count, dist_graph_neighbors_count, DIST_GRAPH_NEIGHBORS_COUNT) \
	X(Errhandler_create, errhandler_create, ERRHANDLER_CREATE) \
	X(Errhandler_free, errhandler_free, ERRHANDLER_FREE) \
	X(Errhandler_get, errhandler_get, ERRHANDLER_GET) \
	X(Errhandler_set, errhandler_set, ERRHANDLER_SET) \
	X(Error_class, error_class, ERROR_CLASS) \
	X(Error_string, error_string, ERROR_STRING) \
	X(Exscan, exscan, EXSCAN) \
	X(Fetch_and_op, fetch_and_op, FETCH_AND_OP) \
	X(File_call_errhandler, file_call_errhandler, FILE_CALL_ERRHANDLER) \
	X(File_close, file_close, FILE_CLOSE) \
	X(File_create_errhandler, file_create_errhandler, FILE_CREATE_ERRHANDLER) \
	X(File_delete, file_delete, FILE_DELETE) \
	X(File_get_amode, file_get_amode, FILE_GET_AMODE) \
	X(File_get_atomicity, file_get_atomicity, FILE_GET_ATOMICITY) \
	X(File_get_byte_offset, file_get_byte_offset, FILE_GET_BYTE_OFFSET) \
	X(File_get_errhandler, file_get_errhandler, FILE_GET_ERRHANDLER) \
	X(File_get_group, file_get_group, FILE_GET_GROUP) \
	X(File_get_info, file_get_info, FILE_GET_INFO) \
	X(File_get_position, file_get_position, FILE_GET_POSITION) \
	X(File_get_position_shared, file_get_position_shared, FILE_GET_POSITION_SHARED) \
	X(File_get_size, file_get_size, FILE_GET_SIZE) \
	X(File_get_type_extent, file_get_type_extent, FILE_GET_TYPE_EXTENT) \
	X(File_get_view, file_get_view, FILE_GET_VIEW) \
	X(File_iread, file_iread, FILE_IREAD) \
	X(File_iread_all, file_iread_all, FILE_IREAD_ALL) \
	X(File_iread_at, file_iread_at, FILE_IREAD_AT) \
	X(File_iread_at_all, file_iread_at_all, FILE_IREAD_AT_ALL) \
	X(File_iread_shared, file_iread_shared, FILE_IREAD_SHARED) \
	X(File_iwrite, file_iwrite, FILE_IWRITE) \
	X(File_iwrite_all, file_iwrite_all, FILE_IWRITE_ALL) \
	X(File_iwrite_at, file_iwrite_at, FILE_IWRITE_AT) \
	X(File_iwrite_at_all, file_iwrite_at_all, FILE_IWRITE_AT_ALL) \
	X(File_iwrite_shared, file_iwrite_shared, FILE_IWRITE_SHARED) \
	X(File_open, file_open, FILE_OPEN) \
	X(File_preallocate, file_preallocate, FILE_PREALLOCATE) \
	X(File_read, file_read, FILE_READ) \
	X(File_read_all, file_read_all, FILE_READ_ALL) \
	X(File_read_all_begin, file_read_all_begin, FILE_READ_ALL_BEGIN) \
	X(File_read_all_end, file_read_all_end, FILE_READ_ALL_END) \
	X(File_read_at, file_read_at, FILE_READ_AT) \
	X(File_read_at_all, file_read_at_all, FILE_READ_AT_ALL) \
	X(File_read_at_all_begin, file_read_at_all_begin, FILE_READ_AT_ALL_BEGIN) \
	X(File_read_at_all_end, file_read_at_all_end, FILE_READ_AT_ALL_END) \
	X(File_read_ordered, file_read_ordered, FILE_READ_ORDERED) \
	X(File_read_ordered_begin, file_read_ordered_begin, FILE_READ_ORDERED_BEGIN) \
	X(File_read_ordered_end, file_read_ordered_end, FILE_READ_ORDERED_END) \
	X(File_read_shared, file_read_shared, FILE_READ_SHARED) \
	X(File_seek, file_seek, FILE_SEEK) \
	X(File_seek_shared, file_seek_shared, FILE_SEEK_SHARED) \
	X(File_set_atomicity, file_set_atomicity, FILE_SET_ATOMICITY) \
	X(File_set_errhandler, file_set_errhandler, FILE_SET_ERRHANDLER) \
	X(File_set_info, file_set_info, FILE_SET_INFO) \
	X(File_set_size, file_set_size, FILE_SET_SIZE) \
	X(File_set_view, file_set_view, FILE_SET_VIEW) \
	X(File_sync, file_sync, FILE_SYNC) \
	X(File_write, file_write, FILE_WRITE) \
	X(File_write_all, file_write_all, FILE_WRITE_ALL) \
	X(File_write_all_begin, file_write_all_begin, FILE_WRITE_ALL_BEGIN) \
	X(File_write_all_end, file_write_all_end, FILE_WRITE_ALL_END) \
	X(File_write_at, file_write_at, FILE_WRITE_AT) \
	X(File_write_at_all, file_write_at_all, FILE_WRITE_AT_ALL) \
	X(File_write_at_all_begin, file_write_at_all_begin, FILE_WRITE_AT_ALL_BEGIN) \
	X(File_write_at_all_end, file_write_at_all_end, FILE_WRITE_AT_ALL_END) \
	X(File_write_ordered, file_write_ordered, FILE_WRITE_ORDERED) \
	X(File_write_ordered_begin, file_write_ordered_begin, FILE_WRITE_ORDERED_BEGIN) \
	X(File_write_ordered_end, file_write_ordered_end, FILE_WRITE_ORDERED_END) \
	X(File_write_shared, file_write_shared, FILE_WRITE_SHARED) \
	X(Finalized, finalized, FINALIZED) \
	X(Free_mem, free_mem, FREE_MEM) \
	X(Gather, gather, GATHER) \
	X(Gatherv, gatherv, GATHERV) \
	X(Get, get, GET) \
	X(Get_accumulate, get_accumulate, GET_ACCUMULATE) \
	X(Get_address, get_address, GET_ADDRESS) \
	X(Get_count, get_count, GET_COUNT) \
	X(Get_elements, get_elements, GET_ELEMENTS) \
	X(Get_elements_x, get_elements_x, GET_ELEMENTS_X) \
	X(Get_library_version, get_library_version, GET_LIBRARY_VERSION) \
	X(Get_processor_name, get_processor_name, GET_PROCESSOR_NAME) \
	X(Get_version, get_version, GET_VERSION) \
	X(Graph_create, graph_create, GRAPH_CREATE) \
	X(Graph_get, graph_get, GRAPH_GET) \
	X(Graph_map, graph_map, GRAPH_MAP) \
	X(Graph_neighbors, graph_neighbors, GRAPH_NEIGHBORS) \
	X(Graph_neighbors_count, graph_neighbors_count, GRAPH_NEIGHBORS_COUNT) \
	X(Graphdims_get, graphdims_get, GRAPHDIMS_GET) \
	X(Grequest_complete, grequest_complete, GREQUEST_COMPLETE) \
	X(Grequest_start, grequest_start, GREQUEST_START) \
	X(Group_compare, group_compare, GROUP_COMPARE) \
	X(Group_difference, group_difference, GROUP_DIFFERENCE) \
	X(Group_excl, group_excl, GROUP_EXCL) \
	X(Group_free, group_free, GROUP_FREE) \
	X(Group_incl, group_incl, GROUP_INCL) \
	X(Group_intersection, group_intersection, GROUP_INTERSECTION) \
	X(Group_range_excl, group_range_excl, GROUP_RANGE_EXCL) \
	X(Group_range_incl, group_range_incl, GROUP_RANGE_INCL) \
	X(Group_rank, group_rank, GROUP_RANK) \
	X(Group_size, group_size, GROUP_SIZE) \
	X(Group_translate_ranks, group_translate_ranks, GROUP_TRANSLATE_RANKS) \
	X(Group_union, group_union, GROUP_UNION) \
	X(Iallgather, iallgather, IALLGATHER) \
	X(Iallgatherv, iallgatherv, IALLGATHERV) \
	X(Iallreduce, iallreduce, IALLREDUCE) \
	X(Ialltoall, ialltoall, IALLTOALL) \
	X(Ialltoallv, ialltoallv, IALLTOALLV) \
	X(Ialltoallw, ialltoallw, IALLTOALLW) \
	X(Ibarrier, ibarrier, IBARRIER) \
	X(Ibcast, ibcast, IBCAST) \
	X(Ibsend, ibsend, IBSEND) \
	X(Iexscan, iexscan, IEXSCAN) \
	X(Igather, igather, IGATHER) \
	X(Igatherv, igatherv, IGATHERV) \
	X(Improbe, improbe, IMPROBE) \
	X(Imrecv, imrecv, IMRECV) \
	X(Ineighbor_allgather, ineighbor_allgather, INEIGHBOR_ALLGATHER) \
	X(Ineighbor_allgatherv, ineighbor_allgatherv, INEIGHBOR_ALLGATHERV) \
	X(Ineighbor_alltoall, ineighbor_alltoall, INEIGHBOR_ALLTOALL) \
	X(Ineighbor_alltoallv, ineighbor_alltoallv, INEIGHBOR_ALLTOALLV) \
	X(Ineighbor_alltoallw, ineighbor_alltoallw, INEIGHBOR_ALLTOALLW) \
	X(Info_create, info_create, INFO_CREATE) \
	X(Info_delete, info_delete, INFO_DELETE) \
	X(Info_dup, info_dup, INFO_DUP) \
	X(Info_free, info_free, INFO_FREE) \
	X(Info_get, info_get, INFO_GET) \
	X(Info_get_nkeys, info_get_nkeys, INFO_GET_NKEYS) \
	X(Info_get_nthkey, info_get_nthkey, INFO_GET_NTHKEY) \
	X(Info_get_valuelen, info_get_valuelen, INFO_GET_VALUELEN) \
	X(Info_set, info_set, INFO_SET) \
	X(Initialized, initialized, INITIALIZED) \
	X(Intercomm_create, intercomm_create, INTERCOMM_CREATE) \
	X(Intercomm_merge, intercomm_merge, INTERCOMM_MERGE) \
	X(Iprobe, iprobe, IPROBE) \
	X(Irecv, irecv, IRECV) \
	X(Ireduce, ireduce, IREDUCE) \
	X(Ireduce_scatter, ireduce_scatter, IREDUCE_SCATTER) \
	X(Ireduce_scatter_block, ireduce_scatter_block, IREDUCE_SCATTER_BLOCK) \
	X(Irsend, irsend, IRSEND) \
	X(Is_thread_main, is_thread_main, IS_THREAD_MAIN) \
	X(Iscan, iscan, ISCAN) \
	X(Iscatter, iscatter, ISCATTER) \
	X(Iscatterv, iscatterv, ISCATTERV) \
	X(Isend, isend, ISEND) \
	X(Issend, issend, ISSEND) \
	X(Keyval_create, keyval_create, KEYVAL_CREATE) \
	X(Keyval_free, keyval_free, KEYVAL_FREE) \
	X(Lookup_name, lookup_name, LOOKUP_NAME) \
	X(Mprobe, mprobe, MPROBE) \
	X(Mrecv, mrecv, MRECV) \
	X(Neighbor_allgather, neighbor_allgather, NEIGHBOR_ALLGATHER) \
	X(Neighbor_allgatherv, neighbor_allgatherv, NEIGHBOR_ALLGATHERV) \
	X(Neighbor_alltoall, neighbor_alltoall, NEIGHBOR_ALLTOALL) \
	X(Neighbor_alltoallv, neighbor_alltoallv, NEIGHBOR_ALLTOALLV) \
	X(Neighbor_alltoallw, neighbor_alltoallw, NEIGHBOR_ALLTOALLW) \
	X(Op_commutative, op_commutative, OP_COMMUTATIVE) \
	X(Op_create, op_create, OP_CREATE) \
	X(Op_free, op_free, OP_FREE) \
	X(Open_port, open_port, OPEN_PORT) \
	X(Pack, pack, PACK) \
	X(Pack_external, pack_external, PACK_EXTERNAL) \
	X(Pack_external_size, pack_external_size, PACK_EXTERNAL_SIZE) \
	X(Pack_size, pack_size, PACK_SIZE) \
	X(Probe, probe, PROBE) \
	X(Publish_name, publish_name, PUBLISH_NAME) \
	X(Put, put, PUT) \
	X(Query_thread, query_thread, QUERY_THREAD) \
	X(Raccumulate, raccumulate, RACCUMULATE) \
	X(Recv, recv, RECV) \
	X(Recv_init, recv_init, RECV_INIT) \
	X(Reduce, reduce, REDUCE) \
	X(Reduce_local, reduce_local, REDUCE_LOCAL) \
	X(Reduce_scatter, reduce_scatter, REDUCE_SCATTER) \
	X(Reduce_scatter_block, reduce_scatter_block, REDUCE_SCATTER_BLOCK) \
	X(Register_datarep, register_datarep, REGISTER_DATAREP) \
	X(Request_free, request_free, REQUEST_FREE) \
	X(Request_get_status, request_get_status, REQUEST_GET_STATUS) \
	X(Rget, rget, RGET) \
	X(Rget_accumulate, rget_accumulate, RGET_ACCUMULATE) \
	X(Rput, rput, RPUT) \
	X(Rsend, rsend, RSEND) \
	X(Rsend_init, rsend_init, RSEND_INIT) \
	X(Scan, scan, SCAN) \
	X(Scatter, scatter, SCATTER) \
	X(Scatterv, scatterv, SCATTERV) \
	X(Send, send, SEND) \
	X(Send_init, send_init, SEND_INIT) \
	X(Sendrecv, sendrecv, SENDRECV) \
	X(Sendrecv_replace, sendrecv_replace, SENDRECV_REPLACE) \
	X(Ssend, ssend, SSEND) \
	X(Ssend_init, ssend_init, SSEND_INIT) \
	X(Start, start, START) \
	X(Startall, startall, STARTALL) \
	X(Status_set_cancelled, status_set_cancelled, STATUS_SET_CANCELLED) \
	X(Status_set_elements, status_set_elements, STATUS_SET_ELEMENTS) \
	X(Status_set_elements_x, status_set_elements_x, STATUS_SET_ELEMENTS_X) \
	X(Test, test, TEST) \
	X(Test_cancelled, test_cancelled, TEST_CANCELLED) \
	X(Testall, testall, TESTALL) \
	X(Testany, testany, TESTANY) \
	X(Testsome, testsome, TESTSOME) \
	X(Topo_test, topo_test, TOPO_TEST) \
	X(Type_commit, type_commit, TYPE_COMMIT) \
	X(Type_contiguous, type_contiguous, TYPE_CONTIGUOUS) \
	X(Type_create_darray, type_create_darray, TYPE_CREATE_DARRAY) \
	X(Type_create_f90_complex, type_create_f90_complex, TYPE_CREATE_F90_COMPLEX) \
	X(Type_create_f90_integer, type_create_f90_integer, TYPE_CREATE_F90_INTEGER) \
	X(Type_create_f90_real, type_create_f90_real, TYPE_CREATE_F90_REAL) \
	X(Type_create_hindexed, type_create_hindexed, TYPE_CREATE_HINDEXED) \
	X(Type_create_hindexed_block, type_create_hindexed_block, TYPE_CREATE_HINDEXED_BLOCK) \
	X(Type_create_hvector, type_create_hvector, TYPE_CREATE_HVECTOR) \
	X(Type_create_indexed_block, type_create_indexed_block, TYPE_CREATE_INDEXED_BLOCK) \
	X(Type_create_keyval, type_create_keyval, TYPE_CREATE_KEYVAL) \
	X(Type_create_resized, type_create_resized, TYPE_CREATE_RESIZED) \
	X(Type_create_struct, type_create_struct, TYPE_CREATE_STRUCT) \
	X(Type_create_subarray, type_create_subarray, TYPE_CREATE_SUBARRAY) \
	X(Type_delete_attr, type_delete_attr, TYPE_DELETE_ATTR) \
	X(Type_dup, type_dup, TYPE_DUP) \
	X(Type_extent, type_extent, TYPE_EXTENT) \
	X(Type_free, type_free, TYPE_FREE) \
	X(Type_free_keyval, type_free_keyval, TYPE_FREE_KEYVAL) \
	X(Type_get_attr, type_get_attr, TYPE_GET_ATTR) \
	X(Type_get_contents, type_get_contents, TYPE_GET_CONTENTS) \
	X(Type_get_envelope, type_get_envelope, TYPE_GET_ENVELOPE) \
	X(Type_get_extent, type_get_extent, TYPE_GET_EXTENT) \
	X(Type_get_extent_x, type_get_extent_x, TYPE_GET_EXTENT_X) \
	X(Type_get_name, type_get_name, TYPE_GET_NAME) \
	X(Type_get_true_extent, type_get_true_extent, TYPE_GET_TRUE_EXTENT) \
	X(Type_get_true_extent_x, type_get_true_extent_x, TYPE_GET_TRUE_EXTENT_X) \
	X(Type_hindexed, type_hindexed, TYPE_HINDEXED) \
	X(Type_hvector, type_hvector, TYPE_HVECTOR) \
	X(Type_indexed, type_indexed, TYPE_INDEXED) \
	X(Type_lb, type_lb, TYPE_LB) \
	X(Type_match_size, type_match_size, TYPE_MATCH_SIZE) \
	X(Type_set_attr, type_set_attr, TYPE_SET_ATTR) \
	X(Type_set_name, type_set_name, TYPE_SET_NAME) \
	X(Type_size, type_size, TYPE_SIZE) \
	X(Type_size_x, type_size_x, TYPE_SIZE_X) \
	X(Type_struct, type_struct, TYPE_STRUCT) \
	X(Type_ub, type_ub, TYPE_UB) \
	X(Type_vector, type_vector, TYPE_VECTOR) \
	X(Unpack, unpack, UNPACK) \
	X(Unpack_external, unpack_external, UNPACK_EXTERNAL) \
	X(Unpublish_name, unpublish_name, UNPUBLISH_NAME) \
	X(Wait, wait, WAIT) \
	X(Waitall, waitall, WAITALL) \
	X(Waitany, waitany, WAITANY) \
	X(Waitsome, waitsome, WAITSOME) \
	X(Win_allocate, win_allocate, WIN_ALLOCATE) \
	X(Win_allocate_shared, win_allocate_shared, WIN_ALLOCATE_SHARED) \
	X(Win_attach, win_attach, WIN_ATTACH) \
	X(Win_call_errhandler, win_call_errhandler, WIN_CALL_ERRHANDLER) \
	X(Win_complete, win_complete, WIN_COMPLETE) \
	X(Win_create, win_create, WIN_CREATE) \
	X(Win_create_dynamic, win_create_dynamic, WIN_CREATE_DYNAMIC) \
	X(Win_create_errhandler, win_create_errhandler, WIN_CREATE_ERRHANDLER) \
	X(Win_create_keyval, win_create_keyval, WIN_CREATE_KEYVAL) \
	X(Win_delete_attr, win_delete_attr, WIN_DELETE_ATTR) \
	X(Win_detach, win_detach, WIN_DETACH) \
	X(Win_fence, win_fence, WIN_FENCE) \
	X(Win_flush, win_flush, WIN_FLUSH) \
	X(Win_flush_all, win_flush_all, WIN_FLUSH_ALL) \
	X(Win_flush_local, win_flush_local, WIN_FLUSH_LOCAL) \
	X(Win_flush_local_all, win_flush_local_all, WIN_FLUSH_LOCAL_ALL) \
	X(Win_free, win_free, WIN_FREE) \
	X(Win_free_keyval, win_free_keyval, WIN_FREE_KEYVAL) \
	X(Win_get_attr, win_get_attr, WIN_GET_ATTR) \
	X(Win_get_errhandler, win_get_errhandler, WIN_GET_ERRHANDLER) \
	X(Win_get_group, win_get_group, WIN_GET_GROUP) \
	X(Win_get_info, win_get_info, WIN_GET_INFO) \
	X(Win_get_name, win_get_name, WIN_GET_NAME) \
	X(Win_lock, win_lock, WIN_LOCK) \
	X(Win_lock_all, win_lock_all, WIN_LOCK_ALL) \
	X(Win_post, win_post, WIN_POST) \
	X(Win_set_attr, win_set_attr, WIN_SET_ATTR) \
	X(Win_set_errhandler, win_set_errhandler, WIN_SET_ERRHANDLER) \
	X(Win_set_info, win_set_info, WIN_SET_INFO) \
	X(Win_set_name, win_set_name, WIN_SET_NAME) \
	X(Win_shared_query, win_shared_query, WIN_SHARED_QUERY) \
	X(Win_start, win_start, WIN_START) \
	X(Win_sync, win_sync, WIN_SYNC) \
	X(Win_test, win_test, WIN_TEST) \
	X(Win_unlock, win_unlock, WIN_UNLOCK) \
	X(Win_unlock_all, win_unlock_all, WIN_UNLOCK_ALL) \
	X(Win_wait, win_wait, WIN_WAIT)

#define MPI_LIST_LATER(X) \
	X(Accumulate_c) X(Allgather_c) X(Allgather_init) X(Allgather_init_c) X(Allgatherv_c) \
	X(Allgatherv_init) X(Allgatherv_init_c) X(Allreduce_c) X(Allreduce_init) \
	X(Allreduce_init_c) X(Alltoall_c) X(Alltoall_init) X(Alltoall_init_c) X(Alltoallv_c) \
	X(Alltoallv_init) X(Alltoallv_init_c) X(Alltoallw_c) X(Alltoallw_init) \
	X(Alltoallw_init_c) X(Barrier_init) X(Bcast_c) X(Bcast_init) X(Bcast_init_c) X(Bsend_c) \
	X(Bsend_init_c) X(Buffer_attach_c) X(Buffer_detach_c) X(Comm_create_from_group) \
	X(Comm_idup_with_info) X(Exscan_c) X(Exscan_init) X(Exscan_init_c) \
	X(File_get_type_extent_c) X(File_iread_all_c) X(File_iread_at_all_c) X(File_iread_at_c) \
	X(File_iread_c) X(File_iread_shared_c) X(File_iwrite_all_c) X(File_iwrite_at_all_c) \
	X(File_iwrite_at_c) X(File_iwrite_c) X(File_iwrite_shared_c) X(File_read_all_begin_c) \
	X(File_read_all_c) X(File_read_at_all_begin_c) X(File_read_at_all_c) X(File_read_at_c) \
	X(File_read_c) X(File_read_ordered_begin_c) X(File_read_ordered_c) \
	X(File_read_shared_c) X(File_write_all_begin_c) X(File_write_all_c) \
	X(File_write_at_all_begin_c) X(File_write_at_all_c) X(File_write_at_c) X(File_write_c) \
	X(File_write_ordered_begin_c) X(File_write_ordered_c) X(File_write_shared_c) \
	X(Gather_c) X(Gather_init) X(Gather_init_c) X(Gatherv_c) X(Gatherv_init) \
	X(Gatherv_init_c) X(Get_accumulate_c) X(Get_c) X(Get_count_c) X(Get_elements_c) \
	X(Group_from_session_pset) X(Iallgather_c) X(Iallgatherv_c) X(Iallreduce_c) \
	X(Ialltoall_c) X(Ialltoallv_c) X(Ialltoallw_c) X(Ibcast_c) X(Ibsend_c) X(Iexscan_c) \
	X(Igather_c) X(Igatherv_c) X(Imrecv_c) X(Ineighbor_allgather_c) \
	X(Ineighbor_allgatherv_c) X(Ineighbor_alltoall_c) X(Ineighbor_alltoallv_c) \
	X(Ineighbor_alltoallw_c) X(Info_create_env) X(Info_get_string) \
	X(Intercomm_create_from_groups) X(Irecv_c) X(Ireduce_c) X(Ireduce_scatter_block_c) \
	X(Ireduce_scatter_c) X(Irsend_c) X(Iscan_c) X(Iscatter_c) X(Iscatterv_c) X(Isend_c) \
	X(Isendrecv) X(Isendrecv_c) X(Isendrecv_replace) X(Isendrecv_replace_c) X(Issend_c) \
	X(Mrecv_c) X(Neighbor_allgather_c) X(Neighbor_allgather_init) \
	X(Neighbor_allgather_init_c) X(Neighbor_allgatherv_c) X(Neighbor_allgatherv_init) \
	X(Neighbor_allgatherv_init_c) X(Neighbor_alltoall_c) X(Neighbor_alltoall_init) \
	X(Neighbor_alltoall_init_c) X(Neighbor_alltoallv_c) X(Neighbor_alltoallv_init) \
	X(Neighbor_alltoallv_init_c) X(Neighbor_alltoallw_c) X(Neighbor_alltoallw_init) \
	X(Neighbor_alltoallw_init_c) X(Op_create_c) X(Pack_c) X(Pack_external_c) \
	X(Pack_external_size_c) X(Pack_size_c) X(Parrived) X(Pready) X(Pready_list) \
	X(Pready_range) X(Precv_init) X(Psend_init) X(Put_c) X(Raccumulate_c) X(Recv_c) \
	X(Recv_init_c) X(Reduce_c) X(Reduce_init) X(Reduce_init_c) X(Reduce_local_c) \
	X(Reduce_scatter_block_c) X(Reduce_scatter_block_init) X(Reduce_scatter_block_init_c) \
	X(Reduce_scatter_c) X(Reduce_scatter_init) X(Reduce_scatter_init_c) \
	X(Register_datarep_c) X(Rget_accumulate_c) X(Rget_c) X(Rput_c) X(Rsend_c) \
	X(Rsend_init_c) X(Scan_c) X(Scan_init) X(Scan_init_c) X(Scatter_c) X(Scatter_init) \
	X(Scatter_init_c) X(Scatterv_c) X(Scatterv_init) X(Scatterv_init_c) X(Send_c) \
	X(Send_init_c) X(Sendrecv_c) X(Sendrecv_replace_c) X(Session_call_errhandler) \
	X(Session_create_errhandler) X(Session_finalize) X(Session_get_errhandler) \
	X(Session_get_info) X(Session_get_nth_pset) X(Session_get_num_psets) \
	X(Session_get_pset_info) X(Session_init) X(Session_set_errhandler) X(Ssend_c) \
	X(Ssend_init_c) X(Type_contiguous_c) X(Type_create_darray_c) \
	X(Type_create_hindexed_block_c) X(Type_create_hindexed_c) X(Type_create_hvector_c) \
	X(Type_create_indexed_block_c) X(Type_create_resized_c) X(Type_create_struct_c) \
	X(Type_create_subarray_c) X(Type_get_contents_c) X(Type_get_envelope_c) \
	X(Type_get_extent_c) X(Type_get_true_extent_c) X(Type_indexed_c) X(Type_size_c) \
	X(Type_vector_c) X(Unpack_c) X(Unpack_external_c) X(Win_allocate_c) \
	X(Win_allocate_shared_c) X(Win_create_c) X(Win_shared_query_c)
/* clang-format on */

#endif
