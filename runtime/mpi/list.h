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
	X(Add_error_class, add_error_class, ADD_ERROR_CLASS) \
	X(Add_error_code, add_error_code, ADD_ERROR_CODE) \
	X(Add_error_string, add_error_string, ADD_ERROR_STRING) \
	X(Address, address, ADDRESS) \
	X(Alloc_mem, alloc_mem, ALLOC_MEM) \
	X(Attr_delete, attr_delete, ATTR_DELETE) \
	X(Attr_get, attr_get, ATTR_GET) \
	X(Attr_put, attr_put, ATTR_PUT) \
	X(Buffer_attach, buffer_attach, BUFFER_ATTACH) \
	X(Cart_coords, cart_coords, CART_COORDS) \
	X(Cart_get, cart_get, CART_GET) \
	X(Cart_map, cart_map, CART_MAP) \
	X(Cart_rank, cart_rank, CART_RANK) \
	X(Cart_shift, cart_shift, CART_SHIFT) \
	X(Cartdim_get, cartdim_get, CARTDIM_GET) \
	X(Close_port, close_port, CLOSE_PORT) \
	X(Comm_call_errhandler, comm_call_errhandler, COMM_CALL_ERRHANDLER) \
	X(Comm_compare, comm_compare, COMM_COMPARE) \
	X(Comm_create_errhandler, comm_create_errhandler, COMM_CREATE_ERRHANDLER) \
	X(Comm_create_keyval, comm_create_keyval, COMM_CREATE_KEYVAL) \
	X(Comm_delete_attr, comm_delete_attr, COMM_DELETE_ATTR) \
	X(Comm_free_keyval, comm_free_keyval, COMM_FREE_KEYVAL) \
	X(Comm_get_attr, comm_get_attr, COMM_GET_ATTR) \
	X(Comm_get_errhandler, comm_get_errhandler, COMM_GET_ERRHANDLER) \
	X(Comm_get_info, comm_get_info, COMM_GET_INFO) \
	X(Comm_get_name, comm_get_name, COMM_GET_NAME) \
	X(Comm_get_parent, comm_get_parent, COMM_GET_PARENT) \
	X(Comm_rank, comm_rank, COMM_RANK) \
	X(Comm_remote_size, comm_remote_size, COMM_REMOTE_SIZE) \
	X(Comm_set_attr, comm_set_attr, COMM_SET_ATTR) \
	X(Comm_set_errhandler, comm_set_errhandler, COMM_SET_ERRHANDLER) \
	X(Comm_set_info, comm_set_info, COMM_SET_INFO) \
	X(Comm_size, comm_size, COMM_SIZE) \
	X(Comm_test_inter, comm_test_inter, COMM_TEST_INTER) \
	X(Dims_create, dims_create, DIMS_CREATE) \
	X(Dist_graph_neighbors, dist_graph_neighbors, DIST_GRAPH_NEIGHBORS) \
	X(Dist_graph_neighbors_count, dist_graph_neighbors_count, DIST_GRAPH_NEIGHBORS_COUNT) \
	X(Errhandler_create, errhandler_create, ERRHANDLER_CREATE) \
	X(Errhandler_free, errhandler_free, ERRHANDLER_FREE) \
	X(Errhandler_get, errhandler_get, ERRHANDLER_GET) \
	X(Errhandler_set, errhandler_set, ERRHANDLER_SET) \
	X(Error_class, error_class, ERROR_CLASS) \
	X(Error_string, error_string, ERROR_STRING) \
	X(File_call_errhandler, file_call_errhandler, FILE_CALL_ERRHANDLER) \
	X(File_create_errhandler, file_create_errhandler, FILE_CREATE_ERRHANDLER) \
	X(File_delete, file_delete, FILE_DELETE) \
	X(File_get_amode, file_get_amode, FILE_GET_AMODE) \
	X(File_get_atomicity, file_get_atomicity, FILE_GET_ATOMICITY) \
	X(File_get_byte_offset, file_get_byte_offset, FILE_GET_BYTE_OFFSET) \
	X(File_get_errhandler, file_get_errhandler, FILE_GET_ERRHANDLER) \
	X(File_get_info, file_get_info, FILE_GET_INFO) \
	X(File_get_position, file_get_position, FILE_GET_POSITION) \
	X(File_get_position_shared, file_get_position_shared, FILE_GET_POSITION_SHARED) \
	X(File_get_size, file_get_size, FILE_GET_SIZE) \
	X(File_get_type_extent, file_get_type_extent, FILE_GET_TYPE_EXTENT) \
	X(File_seek, file_seek, FILE_SEEK) \
	X(File_seek_shared, file_seek_shared, FILE_SEEK_SHARED) \
	X(File_set_errhandler, file_set_errhandler, FILE_SET_ERRHANDLER) \
	X(File_set_info, file_set_info, FILE_SET_INFO) \
	X(Finalized, finalized, FINALIZED) \
	X(Free_mem, free_mem, FREE_MEM) \
	X(Get_address, get_address, GET_ADDRESS) \
	X(Get_count, get_count, GET_COUNT) \
	X(Get_elements, get_elements, GET_ELEMENTS) \
	X(Get_elements_x, get_elements_x, GET_ELEMENTS_X) \
	X(Get_library_version, get_library_version, GET_LIBRARY_VERSION) \
	X(Get_processor_name, get_processor_name, GET_PROCESSOR_NAME) \
	X(Get_version, get_version, GET_VERSION) \
	X(Graph_get, graph_get, GRAPH_GET) \
	X(Graph_map, graph_map, GRAPH_MAP) \
	X(Graph_neighbors, graph_neighbors, GRAPH_NEIGHBORS) \
	X(Graph_neighbors_count, graph_neighbors_count, GRAPH_NEIGHBORS_COUNT) \
	X(Graphdims_get, graphdims_get, GRAPHDIMS_GET) \
	X(Grequest_complete, grequest_complete, GREQUEST_COMPLETE) \
	X(Group_compare, group_compare, GROUP_COMPARE) \
	X(Group_rank, group_rank, GROUP_RANK) \
	X(Group_size, group_size, GROUP_SIZE) \
	X(Group_translate_ranks, group_translate_ranks, GROUP_TRANSLATE_RANKS) \
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
	X(Is_thread_main, is_thread_main, IS_THREAD_MAIN) \
	X(Keyval_create, keyval_create, KEYVAL_CREATE) \
	X(Keyval_free, keyval_free, KEYVAL_FREE) \
	X(Lookup_name, lookup_name, LOOKUP_NAME) \
	X(Op_commutative, op_commutative, OP_COMMUTATIVE) \
	X(Open_port, open_port, OPEN_PORT) \
	X(Pack_external, pack_external, PACK_EXTERNAL) \
	X(Pack_external_size, pack_external_size, PACK_EXTERNAL_SIZE) \
	X(Pack_size, pack_size, PACK_SIZE) \
	X(Publish_name, publish_name, PUBLISH_NAME) \
	X(Query_thread, query_thread, QUERY_THREAD) \
	X(Reduce_local, reduce_local, REDUCE_LOCAL) \
	X(Register_datarep, register_datarep, REGISTER_DATAREP) \
	X(Status_set_cancelled, status_set_cancelled, STATUS_SET_CANCELLED) \
	X(Status_set_elements, status_set_elements, STATUS_SET_ELEMENTS) \
	X(Status_set_elements_x, status_set_elements_x, STATUS_SET_ELEMENTS_X) \
	X(Test_cancelled, test_cancelled, TEST_CANCELLED) \
	X(Topo_test, topo_test, TOPO_TEST) \
	X(Type_create_f90_complex, type_create_f90_complex, TYPE_CREATE_F90_COMPLEX) \
	X(Type_create_f90_integer, type_create_f90_integer, TYPE_CREATE_F90_INTEGER) \
	X(Type_create_f90_real, type_create_f90_real, TYPE_CREATE_F90_REAL) \
	X(Type_create_keyval, type_create_keyval, TYPE_CREATE_KEYVAL) \
	X(Type_delete_attr, type_delete_attr, TYPE_DELETE_ATTR) \
	X(Type_extent, type_extent, TYPE_EXTENT) \
	X(Type_free_keyval, type_free_keyval, TYPE_FREE_KEYVAL) \
	X(Type_get_attr, type_get_attr, TYPE_GET_ATTR) \
	X(Type_get_envelope, type_get_envelope, TYPE_GET_ENVELOPE) \
	X(Type_get_extent, type_get_extent, TYPE_GET_EXTENT) \
	X(Type_get_extent_x, type_get_extent_x, TYPE_GET_EXTENT_X) \
	X(Type_get_name, type_get_name, TYPE_GET_NAME) \
	X(Type_get_true_extent, type_get_true_extent, TYPE_GET_TRUE_EXTENT) \
	X(Type_get_true_extent_x, type_get_true_extent_x, TYPE_GET_TRUE_EXTENT_X) \
	X(Type_lb, type_lb, TYPE_LB) \
	X(Type_match_size, type_match_size, TYPE_MATCH_SIZE) \
	X(Type_set_attr, type_set_attr, TYPE_SET_ATTR) \
	X(Type_set_name, type_set_name, TYPE_SET_NAME) \
	X(Type_size, type_size, TYPE_SIZE) \
	X(Type_size_x, type_size_x, TYPE_SIZE_X) \
	X(Type_ub, type_ub, TYPE_UB) \
	X(Unpack_external, unpack_external, UNPACK_EXTERNAL) \
	X(Unpublish_name, unpublish_name, UNPUBLISH_NAME) \
	X(Win_attach, win_attach, WIN_ATTACH) \
	X(Win_call_errhandler, win_call_errhandler, WIN_CALL_ERRHANDLER) \
	X(Win_create_errhandler, win_create_errhandler, WIN_CREATE_ERRHANDLER) \
	X(Win_create_keyval, win_create_keyval, WIN_CREATE_KEYVAL) \
	X(Win_delete_attr, win_delete_attr, WIN_DELETE_ATTR) \
	X(Win_detach, win_detach, WIN_DETACH) \
	X(Win_free_keyval, win_free_keyval, WIN_FREE_KEYVAL) \
	X(Win_get_attr, win_get_attr, WIN_GET_ATTR) \
	X(Win_get_errhandler, win_get_errhandler, WIN_GET_ERRHANDLER) \
	X(Win_get_info, win_get_info, WIN_GET_INFO) \
	X(Win_get_name, win_get_name, WIN_GET_NAME) \
	X(Win_set_attr, win_set_attr, WIN_SET_ATTR) \
	X(Win_set_errhandler, win_set_errhandler, WIN_SET_ERRHANDLER) \
	X(Win_set_info, win_set_info, WIN_SET_INFO) \
	X(Win_set_name, win_set_name, WIN_SET_NAME) \
	X(Win_shared_query, win_shared_query, WIN_SHARED_QUERY)

#define MPI_LIST_LATER(X) \
	X(Accumulate_c) X(Buffer_attach_c) X(File_get_type_extent_c) \
	X(File_read_all_begin_c) X(File_read_all_c) X(File_read_at_all_begin_c) \
	X(File_read_at_all_c) X(File_read_at_c) X(File_read_c) X(File_read_ordered_begin_c) \
	X(File_read_ordered_c) X(File_read_shared_c) X(File_write_all_begin_c) \
	X(File_write_all_c) X(File_write_at_all_begin_c) X(File_write_at_all_c) \
	X(File_write_at_c) X(File_write_c) X(File_write_ordered_begin_c) \
	X(File_write_ordered_c) X(File_write_shared_c) X(Get_accumulate_c) X(Get_c) \
	X(Get_count_c) X(Get_elements_c) X(Group_from_session_pset) X(Info_create_env) \
	X(Info_get_string) X(Neighbor_allgather_c) X(Neighbor_allgatherv_c) \
	X(Neighbor_alltoall_c) X(Neighbor_alltoallv_c) X(Neighbor_alltoallw_c) X(Pack_c) \
	X(Pack_external_c) X(Pack_external_size_c) X(Pack_size_c) X(Parrived) X(Pready) \
	X(Pready_list) X(Pready_range) X(Put_c) X(Reduce_local_c) X(Register_datarep_c) \
	X(Session_call_errhandler) X(Session_create_errhandler) X(Session_finalize) \
	X(Session_get_errhandler) X(Session_get_info) X(Session_get_nth_pset) \
	X(Session_get_num_psets) X(Session_get_pset_info) X(Session_init) \
	X(Session_set_errhandler) X(Type_get_envelope_c) X(Type_get_extent_c) \
	X(Type_get_true_extent_c) X(Type_size_c) X(Unpack_c) X(Unpack_external_c) \
	X(Win_allocate_c) X(Win_allocate_shared_c) X(Win_create_c) X(Win_shared_query_c)
/* clang-format on */

#endif
