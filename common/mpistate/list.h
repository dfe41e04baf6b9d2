/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of MPI that can block, make requests, communicators, windows or files, and what
 * their arguments are. X(name, lower, UPPER, class, arguments, words in C, words in Fortran); class
 * is one of enum mpistate_class, a letter represents each argument of C:
 *
 *	n count  t type  d destination  s source  g tag  c communicator  r root  o operation
 *	q request that is made  w request  v request by value  N, Q number of requests and these
 *	f whether it has succeeded  k window  h file  x X Y communicator, window, file that ends
 *	K W H communicator, window, file that is made  T G O type, group, operation that is made
 *	m type that is committed  F u z type, group, operation that is freed  l another value
 *	. anything else
 */
#ifndef DVMDBG_COMMON_MPISTATE_LIST_H
#define DVMDBG_COMMON_MPISTATE_LIST_H

/* clang-format off */
#define MPISTATE_LIST(X) \
	X(Send, send, SEND, SEND, ".ntdgc", 6, 7) \
	X(Bsend, bsend, BSEND, SEND, ".ntdgc", 6, 7) \
	X(Rsend, rsend, RSEND, SEND, ".ntdgc", 6, 7) \
	X(Ssend, ssend, SSEND, SEND, ".ntdgc", 6, 7) \
	X(Recv, recv, RECV, RECV, ".ntsgc.", 7, 8) \
	X(Sendrecv, sendrecv, SENDRECV, SENDRECV, ".ntdg.ntsgc.", 12, 13) \
	X(Sendrecv_replace, sendrecv_replace, SENDRECV_REPLACE, SENDRECV, ".ntdgsgc.", 9, 10) \
	X(Isend, isend, ISEND, POST, ".ntdgcq", 7, 8) \
	X(Ibsend, ibsend, IBSEND, POST, ".ntdgcq", 7, 8) \
	X(Irsend, irsend, IRSEND, POST, ".ntdgcq", 7, 8) \
	X(Issend, issend, ISSEND, POST, ".ntdgcq", 7, 8) \
	X(Irecv, irecv, IRECV, POST, ".ntsgcq", 7, 8) \
	X(Send_init, send_init, SEND_INIT, INIT, ".ntdgcq", 7, 8) \
	X(Bsend_init, bsend_init, BSEND_INIT, INIT, ".ntdgcq", 7, 8) \
	X(Rsend_init, rsend_init, RSEND_INIT, INIT, ".ntdgcq", 7, 8) \
	X(Ssend_init, ssend_init, SSEND_INIT, INIT, ".ntdgcq", 7, 8) \
	X(Recv_init, recv_init, RECV_INIT, INIT, ".ntsgcq", 7, 8) \
	X(Start, start, START, START, "w", 1, 2) \
	X(Startall, startall, STARTALL, START, "NQ", 2, 3) \
	X(Wait, wait, WAIT, WAIT, "w.", 2, 3) \
	X(Waitall, waitall, WAITALL, WAIT, "NQ.", 3, 4) \
	X(Waitany, waitany, WAITANY, WAITANY, "NQ..", 4, 5) \
	X(Waitsome, waitsome, WAITSOME, WAITANY, "NQ...", 5, 6) \
	X(Test, test, TEST, TEST, "wf.", 3, 4) \
	X(Testall, testall, TESTALL, TEST, "NQf.", 4, 5) \
	X(Testany, testany, TESTANY, TESTANY, "NQ.f.", 5, 6) \
	X(Testsome, testsome, TESTSOME, TESTANY, "NQf..", 5, 6) \
	X(Request_get_status, request_get_status, REQUEST_GET_STATUS, TEST, "vf.", 3, 4) \
	X(Cancel, cancel, CANCEL, CANCEL, "w", 1, 2) \
	X(Probe, probe, PROBE, PROBE, "sgc.", 4, 5) \
	X(Mprobe, mprobe, MPROBE, PROBE, "sgc..", 5, 6) \
	X(Iprobe, iprobe, IPROBE, IPROBE, "sgcf.", 5, 6) \
	X(Improbe, improbe, IMPROBE, IPROBE, "sgcf..", 6, 7) \
	X(Mrecv, mrecv, MRECV, MRECV, ".nt..", 5, 6) \
	X(Imrecv, imrecv, IMRECV, OTHER, ".nt.q", 5, 6) \
	X(Barrier, barrier, BARRIER, ALL, "c", 1, 2) \
	X(Bcast, bcast, BCAST, FROM, ".ntrc", 5, 6) \
	X(Gather, gather, GATHER, TO, ".nt...rc", 8, 9) \
	X(Gatherv, gatherv, GATHERV, TO, ".nt....rc", 9, 10) \
	X(Scatter, scatter, SCATTER, FROM, "....ntrc", 8, 9) \
	X(Scatterv, scatterv, SCATTERV, FROM, ".....ntrc", 9, 10) \
	X(Allgather, allgather, ALLGATHER, ALL, ".nt...c", 7, 8) \
	X(Allgatherv, allgatherv, ALLGATHERV, ALL, ".nt....c", 8, 9) \
	X(Alltoall, alltoall, ALLTOALL, ALL, ".nt...c", 7, 8) \
	X(Alltoallv, alltoallv, ALLTOALLV, ALL, "........c", 9, 10) \
	X(Alltoallw, alltoallw, ALLTOALLW, ALL, "........c", 9, 10) \
	X(Reduce, reduce, REDUCE, TO, "..ntorc", 7, 8) \
	X(Allreduce, allreduce, ALLREDUCE, ALL, "..ntoc", 6, 7) \
	X(Reduce_scatter, reduce_scatter, REDUCE_SCATTER, ALL, "...toc", 6, 7) \
	X(Reduce_scatter_block, reduce_scatter_block, REDUCE_SCATTER_BLOCK, ALL, "..ntoc", 6, 7) \
	X(Scan, scan, SCAN, SCAN, "..ntoc", 6, 7) \
	X(Exscan, exscan, EXSCAN, SCAN, "..ntoc", 6, 7) \
	X(Neighbor_allgather, neighbor_allgather, NEIGHBOR_ALLGATHER, NEIGHBOR, ".nt...c", 7, 8) \
	X(Neighbor_allgatherv, neighbor_allgatherv, NEIGHBOR_ALLGATHERV, NEIGHBOR, \
		".nt....c", 8, 9) \
	X(Neighbor_alltoall, neighbor_alltoall, NEIGHBOR_ALLTOALL, NEIGHBOR, ".nt...c", 7, 8) \
	X(Neighbor_alltoallv, neighbor_alltoallv, NEIGHBOR_ALLTOALLV, NEIGHBOR, \
		"........c", 9, 10) \
	X(Neighbor_alltoallw, neighbor_alltoallw, NEIGHBOR_ALLTOALLW, NEIGHBOR, \
		"........c", 9, 10) \
	X(Ibarrier, ibarrier, IBARRIER, IALL, "cq", 2, 3) \
	X(Ibcast, ibcast, IBCAST, IFROM, ".ntrcq", 6, 7) \
	X(Igather, igather, IGATHER, ITO, ".nt...rcq", 9, 10) \
	X(Igatherv, igatherv, IGATHERV, ITO, ".nt....rcq", 10, 11) \
	X(Iscatter, iscatter, ISCATTER, IFROM, "....ntrcq", 9, 10) \
	X(Iscatterv, iscatterv, ISCATTERV, IFROM, ".....ntrcq", 10, 11) \
	X(Iallgather, iallgather, IALLGATHER, IALL, ".nt...cq", 8, 9) \
	X(Iallgatherv, iallgatherv, IALLGATHERV, IALL, ".nt....cq", 9, 10) \
	X(Ialltoall, ialltoall, IALLTOALL, IALL, ".nt...cq", 8, 9) \
	X(Ialltoallv, ialltoallv, IALLTOALLV, IALL, "........cq", 10, 11) \
	X(Ialltoallw, ialltoallw, IALLTOALLW, IALL, "........cq", 10, 11) \
	X(Ireduce, ireduce, IREDUCE, ITO, "..ntorcq", 8, 9) \
	X(Iallreduce, iallreduce, IALLREDUCE, IALL, "..ntocq", 7, 8) \
	X(Ireduce_scatter, ireduce_scatter, IREDUCE_SCATTER, IALL, "...tocq", 7, 8) \
	X(Ireduce_scatter_block, ireduce_scatter_block, IREDUCE_SCATTER_BLOCK, IALL, \
		"..ntocq", 7, 8) \
	X(Iscan, iscan, ISCAN, ISCAN, "..ntocq", 7, 8) \
	X(Iexscan, iexscan, IEXSCAN, ISCAN, "..ntocq", 7, 8) \
	X(Ineighbor_allgather, ineighbor_allgather, INEIGHBOR_ALLGATHER, INEIGHBOR, \
		".nt...cq", 8, 9) \
	X(Ineighbor_allgatherv, ineighbor_allgatherv, INEIGHBOR_ALLGATHERV, INEIGHBOR, \
		".nt....cq", 9, 10) \
	X(Ineighbor_alltoall, ineighbor_alltoall, INEIGHBOR_ALLTOALL, INEIGHBOR, \
		".nt...cq", 8, 9) \
	X(Ineighbor_alltoallv, ineighbor_alltoallv, INEIGHBOR_ALLTOALLV, INEIGHBOR, \
		"........cq", 10, 11) \
	X(Ineighbor_alltoallw, ineighbor_alltoallw, INEIGHBOR_ALLTOALLW, INEIGHBOR, \
		"........cq", 10, 11) \
	X(Comm_dup, comm_dup, COMM_DUP, ALL, "cK", 2, 3) \
	X(Comm_dup_with_info, comm_dup_with_info, COMM_DUP_WITH_INFO, ALL, "c.K", 3, 4) \
	X(Comm_idup, comm_idup, COMM_IDUP, IALL, "cKq", 3, 4) \
	X(Comm_create, comm_create, COMM_CREATE, ALL, "c.K", 3, 4) \
	X(Comm_create_group, comm_create_group, COMM_CREATE_GROUP, GROUP, "c..K", 4, 5) \
	X(Comm_split, comm_split, COMM_SPLIT, ALL, "c..K", 4, 5) \
	X(Comm_split_type, comm_split_type, COMM_SPLIT_TYPE, ALL, "c...K", 5, 6) \
	X(Cart_create, cart_create, CART_CREATE, ALL, "c....K", 6, 7) \
	X(Cart_sub, cart_sub, CART_SUB, ALL, "c.K", 3, 4) \
	X(Graph_create, graph_create, GRAPH_CREATE, ALL, "c....K", 6, 7) \
	X(Dist_graph_create, dist_graph_create, DIST_GRAPH_CREATE, ALL, "c.......K", 9, 10) \
	X(Dist_graph_create_adjacent, dist_graph_create_adjacent, DIST_GRAPH_CREATE_ADJACENT, ALL, \
		"c........K", 10, 11) \
	X(Intercomm_create, intercomm_create, INTERCOMM_CREATE, ALL, "cllllK", 6, 7) \
	X(Intercomm_merge, intercomm_merge, INTERCOMM_MERGE, ALL, "c.K", 3, 4) \
	X(Comm_free, comm_free, COMM_FREE, ALL, "x", 1, 2) \
	X(Comm_disconnect, comm_disconnect, COMM_DISCONNECT, ALL, "x", 1, 2) \
	X(Comm_set_name, comm_set_name, COMM_SET_NAME, NAME, "c.", 2, 4) \
	X(Comm_accept, comm_accept, COMM_ACCEPT, OTHER, "...c.", 5, 7) \
	X(Comm_connect, comm_connect, COMM_CONNECT, OTHER, "...c.", 5, 7) \
	X(Comm_join, comm_join, COMM_JOIN, OTHER, "..", 2, 3) \
	X(Comm_spawn, comm_spawn, COMM_SPAWN, OTHER, "....rc..", 8, 11) \
	X(Comm_spawn_multiple, comm_spawn_multiple, COMM_SPAWN_MULTIPLE, OTHER, \
		".....rc..", 9, 13) \
	X(Win_create, win_create, WIN_CREATE, ALL, "....cW", 6, 7) \
	X(Win_allocate, win_allocate, WIN_ALLOCATE, ALL, "...c.W", 6, 7) \
	X(Win_allocate_shared, win_allocate_shared, WIN_ALLOCATE_SHARED, ALL, "...c.W", 6, 7) \
	X(Win_create_dynamic, win_create_dynamic, WIN_CREATE_DYNAMIC, ALL, ".cW", 3, 4) \
	X(Win_free, win_free, WIN_FREE, ALL, "X", 1, 2) \
	X(Win_fence, win_fence, WIN_FENCE, ALL, ".k", 2, 3) \
	X(Win_start, win_start, WIN_START, OTHER, "..k", 3, 4) \
	X(Win_complete, win_complete, WIN_COMPLETE, OTHER, "k", 1, 2) \
	X(Win_post, win_post, WIN_POST, OTHER, "..k", 3, 4) \
	X(Win_wait, win_wait, WIN_WAIT, OTHER, "k", 1, 2) \
	X(Win_test, win_test, WIN_TEST, IPROBE, "kf", 2, 3) \
	X(Win_lock, win_lock, WIN_LOCK, OTHER, ".d.k", 4, 5) \
	X(Win_unlock, win_unlock, WIN_UNLOCK, OTHER, "dk", 2, 3) \
	X(Win_lock_all, win_lock_all, WIN_LOCK_ALL, OTHER, ".k", 2, 3) \
	X(Win_unlock_all, win_unlock_all, WIN_UNLOCK_ALL, OTHER, "k", 1, 2) \
	X(Win_flush, win_flush, WIN_FLUSH, OTHER, "dk", 2, 3) \
	X(Win_flush_all, win_flush_all, WIN_FLUSH_ALL, OTHER, "k", 1, 2) \
	X(Win_flush_local, win_flush_local, WIN_FLUSH_LOCAL, OTHER, "dk", 2, 3) \
	X(Win_flush_local_all, win_flush_local_all, WIN_FLUSH_LOCAL_ALL, OTHER, "k", 1, 2) \
	X(Win_sync, win_sync, WIN_SYNC, OTHER, "k", 1, 2) \
	X(File_open, file_open, FILE_OPEN, ALL, "c...H", 5, 7) \
	X(File_close, file_close, FILE_CLOSE, ALL, "Y", 1, 2) \
	X(File_set_view, file_set_view, FILE_SET_VIEW, ALL, "h.....", 6, 8) \
	X(File_set_size, file_set_size, FILE_SET_SIZE, ALL, "h.", 2, 3) \
	X(File_preallocate, file_preallocate, FILE_PREALLOCATE, ALL, "h.", 2, 3) \
	X(File_sync, file_sync, FILE_SYNC, ALL, "h", 1, 2) \
	X(File_set_atomicity, file_set_atomicity, FILE_SET_ATOMICITY, ALL, "h.", 2, 3) \
	X(File_read_all, file_read_all, FILE_READ_ALL, ALL, "h.nt.", 5, 6) \
	X(File_write_all, file_write_all, FILE_WRITE_ALL, ALL, "h.nt.", 5, 6) \
	X(File_read_at_all, file_read_at_all, FILE_READ_AT_ALL, ALL, "h..nt.", 6, 7) \
	X(File_write_at_all, file_write_at_all, FILE_WRITE_AT_ALL, ALL, "h..nt.", 6, 7) \
	X(File_read_ordered, file_read_ordered, FILE_READ_ORDERED, ALL, "h.nt.", 5, 6) \
	X(File_write_ordered, file_write_ordered, FILE_WRITE_ORDERED, ALL, "h.nt.", 5, 6) \
	X(File_read_all_begin, file_read_all_begin, FILE_READ_ALL_BEGIN, ALL, "h.nt", 4, 5) \
	X(File_read_all_end, file_read_all_end, FILE_READ_ALL_END, ALL, "h..", 3, 4) \
	X(File_write_all_begin, file_write_all_begin, FILE_WRITE_ALL_BEGIN, ALL, "h.nt", 4, 5) \
	X(File_write_all_end, file_write_all_end, FILE_WRITE_ALL_END, ALL, "h..", 3, 4) \
	X(File_read_at_all_begin, file_read_at_all_begin, FILE_READ_AT_ALL_BEGIN, ALL, \
		"h..nt", 5, 6) \
	X(File_read_at_all_end, file_read_at_all_end, FILE_READ_AT_ALL_END, ALL, "h..", 3, 4) \
	X(File_write_at_all_begin, file_write_at_all_begin, FILE_WRITE_AT_ALL_BEGIN, ALL, \
		"h..nt", 5, 6) \
	X(File_write_at_all_end, file_write_at_all_end, FILE_WRITE_AT_ALL_END, ALL, "h..", 3, 4) \
	X(File_read_ordered_begin, file_read_ordered_begin, FILE_READ_ORDERED_BEGIN, ALL, \
		"h.nt", 4, 5) \
	X(File_read_ordered_end, file_read_ordered_end, FILE_READ_ORDERED_END, ALL, "h..", 3, 4) \
	X(File_write_ordered_begin, file_write_ordered_begin, FILE_WRITE_ORDERED_BEGIN, ALL, \
		"h.nt", 4, 5) \
	X(File_write_ordered_end, file_write_ordered_end, FILE_WRITE_ORDERED_END, ALL, \
		"h..", 3, 4) \
	X(File_read, file_read, FILE_READ, OTHER, "h.nt.", 5, 6) \
	X(File_write, file_write, FILE_WRITE, OTHER, "h.nt.", 5, 6) \
	X(File_read_at, file_read_at, FILE_READ_AT, OTHER, "h..nt.", 6, 7) \
	X(File_write_at, file_write_at, FILE_WRITE_AT, OTHER, "h..nt.", 6, 7) \
	X(File_read_shared, file_read_shared, FILE_READ_SHARED, OTHER, "h.nt.", 5, 6) \
	X(File_write_shared, file_write_shared, FILE_WRITE_SHARED, OTHER, "h.nt.", 5, 6) \
	X(File_iread, file_iread, FILE_IREAD, OTHER, "h.ntq", 5, 6) \
	X(File_iwrite, file_iwrite, FILE_IWRITE, OTHER, "h.ntq", 5, 6) \
	X(File_iread_at, file_iread_at, FILE_IREAD_AT, OTHER, "h..ntq", 6, 7) \
	X(File_iwrite_at, file_iwrite_at, FILE_IWRITE_AT, OTHER, "h..ntq", 6, 7) \
	X(File_iread_shared, file_iread_shared, FILE_IREAD_SHARED, OTHER, "h.ntq", 5, 6) \
	X(File_iwrite_shared, file_iwrite_shared, FILE_IWRITE_SHARED, OTHER, "h.ntq", 5, 6) \
	X(File_iread_all, file_iread_all, FILE_IREAD_ALL, OTHER, "h.ntq", 5, 6) \
	X(File_iwrite_all, file_iwrite_all, FILE_IWRITE_ALL, OTHER, "h.ntq", 5, 6) \
	X(File_iread_at_all, file_iread_at_all, FILE_IREAD_AT_ALL, OTHER, "h..ntq", 6, 7) \
	X(File_iwrite_at_all, file_iwrite_at_all, FILE_IWRITE_AT_ALL, OTHER, "h..ntq", 6, 7) \
	X(Rput, rput, RPUT, OTHER, ".ntd...kq", 9, 10) \
	X(Rget, rget, RGET, OTHER, ".ntd...kq", 9, 10) \
	X(Raccumulate, raccumulate, RACCUMULATE, OTHER, ".ntd...okq", 10, 11) \
	X(Rget_accumulate, rget_accumulate, RGET_ACCUMULATE, OTHER, ".nt...d...okq", 13, 14) \
	X(Grequest_start, grequest_start, GREQUEST_START, OTHER, "....q", 5, 6) \
	X(Request_free, request_free, REQUEST_FREE, LOCAL, "w", 1, 2) \
	X(Type_contiguous, type_contiguous, TYPE_CONTIGUOUS, LOCAL, "ntT", 3, 4) \
	X(Type_vector, type_vector, TYPE_VECTOR, LOCAL, "n..tT", 5, 6) \
	X(Type_hvector, type_hvector, TYPE_HVECTOR, LOCAL, "n..tT", 5, 6) \
	X(Type_create_hvector, type_create_hvector, TYPE_CREATE_HVECTOR, LOCAL, "n..tT", 5, 6) \
	X(Type_indexed, type_indexed, TYPE_INDEXED, LOCAL, "n..tT", 5, 6) \
	X(Type_hindexed, type_hindexed, TYPE_HINDEXED, LOCAL, "n..tT", 5, 6) \
	X(Type_create_hindexed, type_create_hindexed, TYPE_CREATE_HINDEXED, LOCAL, "n..tT", 5, 6) \
	X(Type_create_indexed_block, type_create_indexed_block, TYPE_CREATE_INDEXED_BLOCK, LOCAL, \
		"n..tT", 5, 6) \
	X(Type_create_hindexed_block, type_create_hindexed_block, TYPE_CREATE_HINDEXED_BLOCK, LOCAL, \
		"n..tT", 5, 6) \
	X(Type_struct, type_struct, TYPE_STRUCT, LOCAL, "n...T", 5, 6) \
	X(Type_create_struct, type_create_struct, TYPE_CREATE_STRUCT, LOCAL, "n...T", 5, 6) \
	X(Type_create_subarray, type_create_subarray, TYPE_CREATE_SUBARRAY, LOCAL, \
		".....tT", 7, 8) \
	X(Type_create_darray, type_create_darray, TYPE_CREATE_DARRAY, LOCAL, "........tT", 10, 11) \
	X(Type_create_resized, type_create_resized, TYPE_CREATE_RESIZED, LOCAL, "t..T", 4, 5) \
	X(Type_dup, type_dup, TYPE_DUP, LOCAL, "tT", 2, 3) \
	X(Type_commit, type_commit, TYPE_COMMIT, LOCAL, "m", 1, 2) \
	X(Type_free, type_free, TYPE_FREE, LOCAL, "F", 1, 2) \
	X(Type_get_contents, type_get_contents, TYPE_GET_CONTENTS, LOCAL, ".......", 7, 8) \
	X(File_get_view, file_get_view, FILE_GET_VIEW, LOCAL, ".....", 5, 7) \
	X(Comm_group, comm_group, COMM_GROUP, LOCAL, "cG", 2, 3) \
	X(Comm_remote_group, comm_remote_group, COMM_REMOTE_GROUP, LOCAL, "cG", 2, 3) \
	X(Win_get_group, win_get_group, WIN_GET_GROUP, LOCAL, "kG", 2, 3) \
	X(File_get_group, file_get_group, FILE_GET_GROUP, LOCAL, "hG", 2, 3) \
	X(Group_incl, group_incl, GROUP_INCL, LOCAL, "...G", 4, 5) \
	X(Group_excl, group_excl, GROUP_EXCL, LOCAL, "...G", 4, 5) \
	X(Group_range_incl, group_range_incl, GROUP_RANGE_INCL, LOCAL, "...G", 4, 5) \
	X(Group_range_excl, group_range_excl, GROUP_RANGE_EXCL, LOCAL, "...G", 4, 5) \
	X(Group_union, group_union, GROUP_UNION, LOCAL, "..G", 3, 4) \
	X(Group_intersection, group_intersection, GROUP_INTERSECTION, LOCAL, "..G", 3, 4) \
	X(Group_difference, group_difference, GROUP_DIFFERENCE, LOCAL, "..G", 3, 4) \
	X(Group_free, group_free, GROUP_FREE, LOCAL, "u", 1, 2) \
	X(Op_create, op_create, OP_CREATE, LOCAL, "..O", 3, 4) \
	X(Op_free, op_free, OP_FREE, LOCAL, "z", 1, 2) \
	X(Buffer_detach, buffer_detach, BUFFER_DETACH, OTHER, "..", 2, 3) \
	X(Put, put, PUT, OTHER, ".ntd...k", 8, 9) \
	X(Get, get, GET, OTHER, ".ntd...k", 8, 9) \
	X(Accumulate, accumulate, ACCUMULATE, OTHER, ".ntd...ok", 9, 10) \
	X(Get_accumulate, get_accumulate, GET_ACCUMULATE, OTHER, ".nt...d...ok", 12, 13) \
	X(Fetch_and_op, fetch_and_op, FETCH_AND_OP, OTHER, "..td.ok", 7, 8) \
	X(Compare_and_swap, compare_and_swap, COMPARE_AND_SWAP, OTHER, "...td.k", 7, 8) \
	X(Pack, pack, PACK, LOCAL, ".nt...c", 7, 8) \
	X(Unpack, unpack, UNPACK, LOCAL, "....ntc", 7, 8)

/* Of later versions, those of C only. X(name, class, arguments, words) */
#define MPISTATE_LIST_LATER(X) \
	X(Send_c, SEND, ".ntdgc", 6) \
	X(Bsend_c, SEND, ".ntdgc", 6) \
	X(Rsend_c, SEND, ".ntdgc", 6) \
	X(Ssend_c, SEND, ".ntdgc", 6) \
	X(Recv_c, RECV, ".ntsgc.", 7) \
	X(Sendrecv_c, SENDRECV, ".ntdg.ntsgc.", 12) \
	X(Sendrecv_replace_c, SENDRECV, ".ntdgsgc.", 9) \
	X(Isendrecv, OTHER, ".ntdg.ntsgcq", 12) \
	X(Isendrecv_replace, OTHER, ".ntdgsgcq", 9) \
	X(Isend_c, POST, ".ntdgcq", 7) \
	X(Ibsend_c, POST, ".ntdgcq", 7) \
	X(Irsend_c, POST, ".ntdgcq", 7) \
	X(Issend_c, POST, ".ntdgcq", 7) \
	X(Irecv_c, POST, ".ntsgcq", 7) \
	X(Send_init_c, INIT, ".ntdgcq", 7) \
	X(Bsend_init_c, INIT, ".ntdgcq", 7) \
	X(Rsend_init_c, INIT, ".ntdgcq", 7) \
	X(Ssend_init_c, INIT, ".ntdgcq", 7) \
	X(Recv_init_c, INIT, ".ntsgcq", 7) \
	X(Mrecv_c, MRECV, ".nt..", 5) \
	X(Bcast_c, FROM, ".ntrc", 5) \
	X(Gather_c, TO, ".nt...rc", 8) \
	X(Gatherv_c, TO, ".nt....rc", 9) \
	X(Scatter_c, FROM, "....ntrc", 8) \
	X(Scatterv_c, FROM, ".....ntrc", 9) \
	X(Allgather_c, ALL, ".nt...c", 7) \
	X(Allgatherv_c, ALL, ".nt....c", 8) \
	X(Alltoall_c, ALL, ".nt...c", 7) \
	X(Alltoallv_c, ALL, "........c", 9) \
	X(Alltoallw_c, ALL, "........c", 9) \
	X(Reduce_c, TO, "..ntorc", 7) \
	X(Allreduce_c, ALL, "..ntoc", 6) \
	X(Reduce_scatter_c, ALL, "...toc", 6) \
	X(Reduce_scatter_block_c, ALL, "..ntoc", 6) \
	X(Scan_c, SCAN, "..ntoc", 6) \
	X(Exscan_c, SCAN, "..ntoc", 6) \
	X(Ibcast_c, IFROM, ".ntrcq", 6) \
	X(Igather_c, ITO, ".nt...rcq", 9) \
	X(Igatherv_c, ITO, ".nt....rcq", 10) \
	X(Iscatter_c, IFROM, "....ntrcq", 9) \
	X(Iscatterv_c, IFROM, ".....ntrcq", 10) \
	X(Iallgather_c, IALL, ".nt...cq", 8) \
	X(Iallgatherv_c, IALL, ".nt....cq", 9) \
	X(Ialltoall_c, IALL, ".nt...cq", 8) \
	X(Ialltoallv_c, IALL, "........cq", 10) \
	X(Ialltoallw_c, IALL, "........cq", 10) \
	X(Ireduce_c, ITO, "..ntorcq", 8) \
	X(Iallreduce_c, IALL, "..ntocq", 7) \
	X(Ireduce_scatter_c, IALL, "...tocq", 7) \
	X(Ireduce_scatter_block_c, IALL, "..ntocq", 7) \
	X(Iscan_c, ISCAN, "..ntocq", 7) \
	X(Iexscan_c, ISCAN, "..ntocq", 7) \
	X(Barrier_init, INIT, "c.q", 3) \
	X(Allgather_init, INIT, ".nt...c.q", 9) \
	X(Allgather_init_c, INIT, ".nt...c.q", 9) \
	X(Allgatherv_init, INIT, ".nt....c.q", 10) \
	X(Allgatherv_init_c, INIT, ".nt....c.q", 10) \
	X(Allreduce_init, INIT, "..ntoc.q", 8) \
	X(Allreduce_init_c, INIT, "..ntoc.q", 8) \
	X(Alltoall_init, INIT, ".nt...c.q", 9) \
	X(Alltoall_init_c, INIT, ".nt...c.q", 9) \
	X(Alltoallv_init, INIT, "........c.q", 11) \
	X(Alltoallv_init_c, INIT, "........c.q", 11) \
	X(Alltoallw_init, INIT, "........c.q", 11) \
	X(Alltoallw_init_c, INIT, "........c.q", 11) \
	X(Bcast_init, INIT, ".ntrc.q", 7) \
	X(Bcast_init_c, INIT, ".ntrc.q", 7) \
	X(Exscan_init, INIT, "..ntoc.q", 8) \
	X(Exscan_init_c, INIT, "..ntoc.q", 8) \
	X(Gather_init, INIT, ".nt...rc.q", 10) \
	X(Gather_init_c, INIT, ".nt...rc.q", 10) \
	X(Gatherv_init, INIT, ".nt....rc.q", 11) \
	X(Gatherv_init_c, INIT, ".nt....rc.q", 11) \
	X(Neighbor_allgather_init, INIT, "......c.q", 9) \
	X(Neighbor_allgather_init_c, INIT, "......c.q", 9) \
	X(Neighbor_allgatherv_init, INIT, ".......c.q", 10) \
	X(Neighbor_allgatherv_init_c, INIT, ".......c.q", 10) \
	X(Neighbor_alltoall_init, INIT, "......c.q", 9) \
	X(Neighbor_alltoall_init_c, INIT, "......c.q", 9) \
	X(Neighbor_alltoallv_init, INIT, "........c.q", 11) \
	X(Neighbor_alltoallv_init_c, INIT, "........c.q", 11) \
	X(Neighbor_alltoallw_init, INIT, "........c.q", 11) \
	X(Neighbor_alltoallw_init_c, INIT, "........c.q", 11) \
	X(Reduce_init, INIT, "..ntorc.q", 9) \
	X(Reduce_init_c, INIT, "..ntorc.q", 9) \
	X(Reduce_scatter_init, INIT, "...toc.q", 8) \
	X(Reduce_scatter_init_c, INIT, "...toc.q", 8) \
	X(Reduce_scatter_block_init, INIT, "..ntoc.q", 8) \
	X(Reduce_scatter_block_init_c, INIT, "..ntoc.q", 8) \
	X(Scan_init, INIT, "..ntoc.q", 8) \
	X(Scan_init_c, INIT, "..ntoc.q", 8) \
	X(Scatter_init, INIT, "....ntrc.q", 10) \
	X(Scatter_init_c, INIT, "....ntrc.q", 10) \
	X(Scatterv_init, INIT, ".....ntrc.q", 11) \
	X(Scatterv_init_c, INIT, ".....ntrc.q", 11) \
	X(Psend_init, INIT, "......c.q", 9) \
	X(Precv_init, INIT, "......c.q", 9) \
	X(File_iread_c, OTHER, "h...q", 5) \
	X(File_iread_at_c, OTHER, "h....q", 6) \
	X(File_iread_shared_c, OTHER, "h...q", 5) \
	X(File_iread_all_c, OTHER, "h...q", 5) \
	X(File_iread_at_all_c, OTHER, "h....q", 6) \
	X(File_iwrite_c, OTHER, "h...q", 5) \
	X(File_iwrite_at_c, OTHER, "h....q", 6) \
	X(File_iwrite_shared_c, OTHER, "h...q", 5) \
	X(File_iwrite_all_c, OTHER, "h...q", 5) \
	X(File_iwrite_at_all_c, OTHER, "h....q", 6) \
	X(Rput_c, OTHER, ".......kq", 9) \
	X(Rget_c, OTHER, ".......kq", 9) \
	X(Raccumulate_c, OTHER, "........kq", 10) \
	X(Rget_accumulate_c, OTHER, "...........kq", 13) \
	X(Imrecv_c, OTHER, "....q", 5) \
	X(Isendrecv_c, OTHER, ".ntdg.ntsgcq", 12) \
	X(Isendrecv_replace_c, OTHER, ".ntdgsgcq", 9) \
	X(Ineighbor_allgather_c, INEIGHBOR, ".nt...cq", 8) \
	X(Ineighbor_allgatherv_c, INEIGHBOR, ".nt....cq", 9) \
	X(Ineighbor_alltoall_c, INEIGHBOR, ".nt...cq", 8) \
	X(Ineighbor_alltoallv_c, INEIGHBOR, "........cq", 10) \
	X(Ineighbor_alltoallw_c, INEIGHBOR, "........cq", 10) \
	X(Buffer_detach_c, OTHER, "..", 2) \
	X(Comm_idup_with_info, IALL, "c.Kq", 4) \
	X(Comm_create_from_group, OTHER, "....K", 5) \
	X(Intercomm_create_from_groups, OTHER, ".......K", 8) \
	X(Type_contiguous_c, LOCAL, "ntT", 3) \
	X(Type_vector_c, LOCAL, "n..tT", 5) \
	X(Type_create_hvector_c, LOCAL, "n..tT", 5) \
	X(Type_indexed_c, LOCAL, "n..tT", 5) \
	X(Type_create_hindexed_c, LOCAL, "n..tT", 5) \
	X(Type_create_indexed_block_c, LOCAL, "n..tT", 5) \
	X(Type_create_hindexed_block_c, LOCAL, "n..tT", 5) \
	X(Type_create_struct_c, LOCAL, "n...T", 5) \
	X(Type_create_subarray_c, LOCAL, ".....tT", 7) \
	X(Type_create_darray_c, LOCAL, "........tT", 10) \
	X(Type_create_resized_c, LOCAL, "t..T", 4) \
	X(Type_get_contents_c, LOCAL, ".........", 9) \
	X(Op_create_c, LOCAL, "..O", 3)

/* clang-format on */

#endif
