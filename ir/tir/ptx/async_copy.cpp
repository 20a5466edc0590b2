// SPDX-License-Identifier: Apache-2.0
// Forms of PTX instructions: asynchronous copies, tensor maps and the fabric. The columns are explained in ptx.h.
#include "ir/tir/ptx.h"

namespace mlc::ir {
namespace {

// clang-format off
constexpr PtxRow rows[] = {
    {"cp_async_bulk_commit_group", "cp",
     "api=async kind=bulk action=commit_group",
     "",
     ""},
    {"cp_async_bulk_g2s_cluster", "cp",
     "api=async kind=bulk sem?=weak|relaxed scope?=cta|cluster|gpu|sys dst=shared::cluster src=global "
     "completion=mbarrier::complete_tx::bytes multicast?=multicast::cluster cache?=L2::cache_hint "
     "type?=b128",
     "dst_mem:a=shared::cluster+ src_mem:a=global+ size:r=uint32 mbar:a=shared+ "
     "cta_mask:r=uint16*lanes6(multicast) cache_policy:r=uint64*lanes6(cache)",
     "sem=weak|->scope=- sem=relaxed>scope=cta|cluster|gpu|sys sem=weak|->type=- sem=relaxed>type=b128 "
     "scope=cta|cluster|gpu|sys>type=b128 scope=->type=-"},
    {"cp_async_bulk_g2s_cluster_multicast16", "cp",
     "api=async kind=bulk sem?=weak|relaxed scope?=cta|cluster|gpu|sys dst=shared::cluster src=global "
     "completion=mbarrier::complete_tx::bytes multicast=multicast::cluster::16b cache?=L2::cache_hint "
     "type?=b128",
     "dst_mem:a=shared::cluster+ src_mem:a=global+ size:r=uint32 mbar:a=shared+ cta_mask:r=uint16 "
     "cache_policy:r=uint64*lanes6(cache)",
     "sem=weak|->scope=- sem=relaxed>scope=cta|cluster|gpu|sys sem=weak|->type=- sem=relaxed>type=b128 "
     "scope=cta|cluster|gpu|sys>type=b128 scope=->type=-"},
    {"cp_async_bulk_g2s_cluster_multicast32", "cp",
     "api=async kind=bulk sem?=weak|relaxed scope?=cta|cluster|gpu|sys dst=shared::cluster src=global "
     "completion=mbarrier::complete_tx::bytes multicast=multicast::cluster::32b cache?=L2::cache_hint "
     "type?=b128",
     "dst_mem:a=shared::cluster+ src_mem:a=global+ size:r=uint32 mbar:a=shared+ cta_mask:r=uint32 "
     "cache_policy:r=uint64*lanes6(cache)",
     "sem=weak|->scope=- sem=relaxed>scope=cta|cluster|gpu|sys sem=weak|->type=- sem=relaxed>type=b128 "
     "scope=cta|cluster|gpu|sys>type=b128 scope=->type=-"},
    {"cp_async_bulk_g2s_cluster_report", "cp",
     "api=async kind=bulk sem?=weak|relaxed scope?=cta|cluster|gpu|sys dst=shared::cluster src=global "
     "completion=mbarrier::complete_tx::bytes "
     "report=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "multicast?=multicast::cluster|multicast::cluster::16b|multicast::cluster::32b "
     "cache?=L2::cache_hint type?=b128",
     "dst_mem:a=shared::cluster+ src_mem:a=global+ size:r=uint32 mbar:a=shared+ "
     "cta_mask:r=types16(multicast)*lanes6(multicast) cache_policy:r=uint64*lanes6(cache)",
     "sem=weak|->scope=- sem=relaxed>scope=cta|cluster|gpu|sys sem=weak|->type=- sem=relaxed>type=b128 "
     "scope=cta|cluster|gpu|sys>type=b128 scope=->type=-"},
    {"cp_async_bulk_g2s_cta", "cp",
     "api=async kind=bulk sem?=weak|relaxed scope?=cta|cluster|gpu|sys dst=shared::cta src=global "
     "completion=mbarrier::complete_tx::bytes cache?=L2::cache_hint ignore_oob?=ignore_oob type?=b128",
     "dst_mem:a=shared::cta+ src_mem:a=global+ size:r=uint32 "
     "ignore_bytes_left:r=uint32*lanes6(ignore_oob) ignore_bytes_right:r=uint32*lanes6(ignore_oob) "
     "mbar:a=shared+ cache_policy:r=uint64*lanes6(cache)",
     "sem=weak|->scope=- sem=relaxed>scope=cta|cluster|gpu|sys sem=weak|->type=- sem=relaxed>type=b128 "
     "scope=cta|cluster|gpu|sys>type=b128 scope=->type=-"},
    {"cp_async_bulk_g2s_cta_report", "cp",
     "api=async kind=bulk sem?=weak|relaxed scope?=cta|cluster|gpu|sys dst=shared::cta src=global "
     "completion=mbarrier::complete_tx::bytes "
     "report=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "cache?=L2::cache_hint ignore_oob?=ignore_oob type?=b128",
     "dst_mem:a=shared::cta+ src_mem:a=global+ size:r=uint32 "
     "ignore_bytes_left:r=uint32*lanes6(ignore_oob) ignore_bytes_right:r=uint32*lanes6(ignore_oob) "
     "mbar:a=shared+ cache_policy:r=uint64*lanes6(cache)",
     "sem=weak|->scope=- sem=relaxed>scope=cta|cluster|gpu|sys sem=weak|->type=- sem=relaxed>type=b128 "
     "scope=cta|cluster|gpu|sys>type=b128 scope=->type=- "
     "ignore_oob=ignore_oob>report=mbarrier::report::disabled"},
    {"cp_async_bulk_prefetch", "cp",
     "api=async kind=bulk op=prefetch level=L2 src=global cache?=L2::cache_hint",
     "src_mem:a=global+ size:r=uint32 cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_prefetch_evict_last", "cp",
     "api=async kind=bulk op=prefetch level=L2 src=global priority=L2::evict_last",
     "src_mem:a=global+ size:r=uint32",
     ""},
    {"cp_async_bulk_s2c", "cp",
     "api=async kind=bulk sem?=weak|relaxed scope?=cta|cluster dst=shared::cluster src=shared::cta "
     "completion=mbarrier::complete_tx::bytes type?=b128",
     "dst_mem:a=shared::cluster+ src_mem:a=shared::cta+ size:r=uint32 mbar:a=shared+",
     "sem=weak|->scope=- sem=relaxed>scope=cta|cluster sem=weak|->type=- sem=relaxed>type=b128 "
     "scope=cta|cluster>type=b128 scope=->type=-"},
    {"cp_async_bulk_s2g", "cp",
     "api=async kind=bulk sem?=weak|relaxed scope?=cta|cluster|gpu|sys dst=global src=shared::cta "
     "completion=bulk_group cache?=L2::cache_hint cp_mask?=cp_mask type?=b128",
     "dst_mem:a=global+ src_mem:a=shared::cta+ size:r=uint32 cache_policy:r=uint64*lanes6(cache) "
     "byte_mask:r=uint16*lanes6(cp_mask)",
     "sem=weak|->scope=- sem=relaxed>scope=cta|cluster|gpu|sys sem=weak|->type=- sem=relaxed>type=b128 "
     "scope=cta|cluster|gpu|sys>type=b128 scope=->type=-"},
    {"cp_async_bulk_tensor_g2s_cluster", "cp",
     "api=async kind=bulk unit=tensor dim=1d|2d|3d|4d|5d dst=shared::cluster src=global "
     "load_mode?=tile|tile::gather4 completion=mbarrier::complete_tx::bytes "
     "multicast?=multicast::cluster cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint",
     "dst_mem:a=shared::cluster+ tmap:a=global coords:r=int32*lanes1(dim+load_mode) mbar:a=shared+ "
     "cta_mask:r=uint16*lanes6(multicast) cache_policy:r=uint64*lanes6(cache)",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_g2s_cluster_im2col", "cp",
     "api=async kind=bulk unit=tensor dim=3d|4d|5d dst=shared::cluster src=global "
     "load_mode=im2col|im2col::w|im2col::w::128 completion=mbarrier::complete_tx::bytes "
     "report?=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "multicast?=multicast::cluster|multicast::cluster::16b|multicast::cluster::32b "
     "cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint",
     "dst_mem:a=shared::cluster+ tmap:a=global coords:r=int32*lanes2(dim) mbar:a=shared+ "
     "im2col_info:r=types8(load_mode)*lanes3(dim+load_mode) "
     "cta_mask:r=types16(multicast)*lanes6(multicast) cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_g2s_cluster_multicast16", "cp",
     "api=async kind=bulk unit=tensor dim=1d|2d|3d|4d|5d dst=shared::cluster src=global "
     "load_mode?=tile|tile::gather4 completion=mbarrier::complete_tx::bytes "
     "multicast=multicast::cluster::16b cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint",
     "dst_mem:a=shared::cluster+ tmap:a=global coords:r=int32*lanes1(dim+load_mode) mbar:a=shared+ "
     "cta_mask:r=uint16 cache_policy:r=uint64*lanes6(cache)",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_g2s_cluster_multicast32", "cp",
     "api=async kind=bulk unit=tensor dim=1d|2d|3d|4d|5d dst=shared::cluster src=global "
     "load_mode?=tile|tile::gather4 completion=mbarrier::complete_tx::bytes "
     "multicast=multicast::cluster::32b cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint",
     "dst_mem:a=shared::cluster+ tmap:a=global coords:r=int32*lanes1(dim+load_mode) mbar:a=shared+ "
     "cta_mask:r=uint32 cache_policy:r=uint64*lanes6(cache)",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_g2s_cluster_override_address", "cp",
     "api=async kind=bulk unit=tensor dim=1d|2d|3d|4d|5d dst=shared::cluster src=global "
     "load_mode?=tile|tile::gather4 completion=mbarrier::complete_tx::bytes "
     "report?=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "multicast?=multicast::cluster|multicast::cluster::16b|multicast::cluster::32b "
     "cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint "
     "override_address=override::global_address",
     "dst_mem:a=shared::cluster+ tmap:a=global global_address:r=uint64 "
     "coords:r=int32*lanes1(dim+load_mode) mbar:a=shared+ "
     "cta_mask:r=types16(multicast)*lanes6(multicast) cache_policy:r=uint64*lanes6(cache)",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_g2s_cluster_override_address_im2col", "cp",
     "api=async kind=bulk unit=tensor dim=3d|4d|5d dst=shared::cluster src=global "
     "load_mode=im2col|im2col::w|im2col::w::128 completion=mbarrier::complete_tx::bytes "
     "report?=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "multicast?=multicast::cluster|multicast::cluster::16b|multicast::cluster::32b "
     "cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint "
     "override_address=override::global_address",
     "dst_mem:a=shared::cluster+ tmap:a=global global_address:r=uint64 coords:r=int32*lanes2(dim) "
     "mbar:a=shared+ im2col_info:r=types8(load_mode)*lanes3(dim+load_mode) "
     "cta_mask:r=types16(multicast)*lanes6(multicast) cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_g2s_cluster_override_global_dim_b16", "cp",
     "api=async kind=bulk unit=tensor dim=1d dst=shared::cluster src=global load_mode?=tile "
     "completion=mbarrier::complete_tx::bytes "
     "report?=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "multicast?=multicast::cluster::32b cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint "
     "override_address=override::global_address override_attribute=override::global_dim",
     "dst_mem:a=shared::cluster+ tmap:a=global global_address:r=uint64 "
     "tensor_size:r=uint16/int16/float16/bfloat16 coords:r=int32 mbar:a=shared+ "
     "cta_mask:r=uint32*lanes6(multicast) cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_g2s_cluster_override_global_dim_b8", "cp",
     "api=async kind=bulk unit=tensor dim=1d dst=shared::cluster src=global load_mode?=tile "
     "completion=mbarrier::complete_tx::bytes "
     "report?=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "multicast?=multicast::cluster::32b cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint "
     "override_address=override::global_address override_attribute=override::global_dim",
     "dst_mem:a=shared::cluster+ tmap:a=global global_address:r=uint64 tensor_size:r=uint8 "
     "coords:r=int32 mbar:a=shared+ cta_mask:r=uint32*lanes6(multicast) "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_g2s_cluster_override_global_dim_stride_b16", "cp",
     "api=async kind=bulk unit=tensor dim=2d|3d|4d|5d dst=shared::cluster src=global load_mode?=tile "
     "completion=mbarrier::complete_tx::bytes "
     "report?=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "multicast?=multicast::cluster::32b cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint "
     "override_address=override::global_address override_attribute=override::global_dim_stride",
     "dst_mem:a=shared::cluster+ tmap:a=global global_address:r=uint64 "
     "tensor_size:r=uint16/int16/float16/bfloat16*lanes4(dim) "
     "lower_stride:r=uint32/int32/float32*lanes5(dim) upper_stride:r=uint16/int16/float16/bfloat16 "
     "coords:r=int32*lanes4(dim) mbar:a=shared+ cta_mask:r=uint32*lanes6(multicast) "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_g2s_cluster_override_global_dim_stride_b8", "cp",
     "api=async kind=bulk unit=tensor dim=2d|3d|4d|5d dst=shared::cluster src=global load_mode?=tile "
     "completion=mbarrier::complete_tx::bytes "
     "report?=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "multicast?=multicast::cluster::32b cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint "
     "override_address=override::global_address override_attribute=override::global_dim_stride",
     "dst_mem:a=shared::cluster+ tmap:a=global global_address:r=uint64 tensor_size:r=uint8*lanes4(dim) "
     "lower_stride:r=uint32/int32/float32*lanes5(dim) upper_stride:r=uint16/int16/float16/bfloat16 "
     "coords:r=int32*lanes4(dim) mbar:a=shared+ cta_mask:r=uint32*lanes6(multicast) "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_g2s_cluster_report", "cp",
     "api=async kind=bulk unit=tensor dim=1d|2d|3d|4d|5d dst=shared::cluster src=global "
     "load_mode?=tile|tile::gather4 completion=mbarrier::complete_tx::bytes "
     "report=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "multicast?=multicast::cluster|multicast::cluster::16b|multicast::cluster::32b "
     "cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint",
     "dst_mem:a=shared::cluster+ tmap:a=global coords:r=int32*lanes1(dim+load_mode) mbar:a=shared+ "
     "cta_mask:r=types16(multicast)*lanes6(multicast) cache_policy:r=uint64*lanes6(cache)",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_g2s_cta", "cp",
     "api=async kind=bulk unit=tensor dim=1d|2d|3d|4d|5d dst=shared::cta src=global "
     "load_mode?=tile|tile::gather4 completion=mbarrier::complete_tx::bytes "
     "cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint",
     "dst_mem:a=shared::cta+ tmap:a=global coords:r=int32*lanes1(dim+load_mode) mbar:a=shared+ "
     "cache_policy:r=uint64*lanes6(cache)",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_g2s_cta_im2col", "cp",
     "api=async kind=bulk unit=tensor dim=3d|4d|5d dst=shared::cta src=global "
     "load_mode=im2col|im2col::w|im2col::w::128 completion=mbarrier::complete_tx::bytes "
     "report?=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint",
     "dst_mem:a=shared::cta+ tmap:a=global coords:r=int32*lanes2(dim) mbar:a=shared+ "
     "im2col_info:r=types8(load_mode)*lanes3(dim+load_mode) cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_g2s_cta_override_address", "cp",
     "api=async kind=bulk unit=tensor dim=1d|2d|3d|4d|5d dst=shared::cta src=global "
     "load_mode?=tile|tile::gather4 completion=mbarrier::complete_tx::bytes "
     "report?=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint "
     "override_address=override::global_address",
     "dst_mem:a=shared::cta+ tmap:a=global global_address:r=uint64 "
     "coords:r=int32*lanes1(dim+load_mode) mbar:a=shared+ cache_policy:r=uint64*lanes6(cache)",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_g2s_cta_override_address_im2col", "cp",
     "api=async kind=bulk unit=tensor dim=3d|4d|5d dst=shared::cta src=global "
     "load_mode=im2col|im2col::w|im2col::w::128 completion=mbarrier::complete_tx::bytes "
     "report?=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint "
     "override_address=override::global_address",
     "dst_mem:a=shared::cta+ tmap:a=global global_address:r=uint64 coords:r=int32*lanes2(dim) "
     "mbar:a=shared+ im2col_info:r=types8(load_mode)*lanes3(dim+load_mode) "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_g2s_cta_override_global_dim_b16", "cp",
     "api=async kind=bulk unit=tensor dim=1d dst=shared::cta src=global load_mode?=tile "
     "completion=mbarrier::complete_tx::bytes "
     "report?=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint "
     "override_address=override::global_address override_attribute=override::global_dim",
     "dst_mem:a=shared::cta+ tmap:a=global global_address:r=uint64 "
     "tensor_size:r=uint16/int16/float16/bfloat16 coords:r=int32 mbar:a=shared+ "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_g2s_cta_override_global_dim_b8", "cp",
     "api=async kind=bulk unit=tensor dim=1d dst=shared::cta src=global load_mode?=tile "
     "completion=mbarrier::complete_tx::bytes "
     "report?=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint "
     "override_address=override::global_address override_attribute=override::global_dim",
     "dst_mem:a=shared::cta+ tmap:a=global global_address:r=uint64 tensor_size:r=uint8 coords:r=int32 "
     "mbar:a=shared+ cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_g2s_cta_override_global_dim_stride_b16", "cp",
     "api=async kind=bulk unit=tensor dim=2d|3d|4d|5d dst=shared::cta src=global load_mode?=tile "
     "completion=mbarrier::complete_tx::bytes "
     "report?=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint "
     "override_address=override::global_address override_attribute=override::global_dim_stride",
     "dst_mem:a=shared::cta+ tmap:a=global global_address:r=uint64 "
     "tensor_size:r=uint16/int16/float16/bfloat16*lanes4(dim) "
     "lower_stride:r=uint32/int32/float32*lanes5(dim) upper_stride:r=uint16/int16/float16/bfloat16 "
     "coords:r=int32*lanes4(dim) mbar:a=shared+ cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_g2s_cta_override_global_dim_stride_b8", "cp",
     "api=async kind=bulk unit=tensor dim=2d|3d|4d|5d dst=shared::cta src=global load_mode?=tile "
     "completion=mbarrier::complete_tx::bytes "
     "report?=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint "
     "override_address=override::global_address override_attribute=override::global_dim_stride",
     "dst_mem:a=shared::cta+ tmap:a=global global_address:r=uint64 tensor_size:r=uint8*lanes4(dim) "
     "lower_stride:r=uint32/int32/float32*lanes5(dim) upper_stride:r=uint16/int16/float16/bfloat16 "
     "coords:r=int32*lanes4(dim) mbar:a=shared+ cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_g2s_cta_report", "cp",
     "api=async kind=bulk unit=tensor dim=1d|2d|3d|4d|5d dst=shared::cta src=global "
     "load_mode?=tile|tile::gather4 completion=mbarrier::complete_tx::bytes "
     "report=mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff "
     "cta_group?=cta_group::1|cta_group::2 cache?=L2::cache_hint",
     "dst_mem:a=shared::cta+ tmap:a=global coords:r=int32*lanes1(dim+load_mode) mbar:a=shared+ "
     "cache_policy:r=uint64*lanes6(cache)",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_prefetch", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=1d|2d|3d|4d|5d level=L2 src=global "
     "load_mode?=tile|tile::gather4 cache?=L2::cache_hint",
     "tmap:a=global coords:r=int32*lanes1(dim+load_mode) cache_policy:r=uint64*lanes6(cache)",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_prefetch_evict_last", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=1d|2d|3d|4d|5d level=L2 src=global "
     "load_mode?=tile|tile::gather4 priority=L2::evict_last",
     "tmap:a=global coords:r=int32*lanes1(dim+load_mode)",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_prefetch_im2col", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=3d|4d|5d level=L2 src=global "
     "load_mode=im2col|im2col::w|im2col::w::128 cache?=L2::cache_hint",
     "tmap:a=global coords:r=int32*lanes2(dim) im2col_info:r=types8(load_mode)*lanes3(dim+load_mode) "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_prefetch_im2col_evict_last", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=3d|4d|5d level=L2 src=global "
     "load_mode=im2col|im2col::w|im2col::w::128 priority=L2::evict_last",
     "tmap:a=global coords:r=int32*lanes2(dim) im2col_info:r=types8(load_mode)*lanes3(dim+load_mode)",
     ""},
    {"cp_async_bulk_tensor_prefetch_override_address", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=1d|2d|3d|4d|5d level=L2 src=global "
     "load_mode?=tile|tile::gather4 cache?=L2::cache_hint override_address=override::global_address",
     "tmap:a=global global_address:r=uint64 coords:r=int32*lanes1(dim+load_mode) "
     "cache_policy:r=uint64*lanes6(cache)",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_prefetch_override_address_evict_last", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=1d|2d|3d|4d|5d level=L2 src=global "
     "load_mode?=tile|tile::gather4 priority=L2::evict_last override_address=override::global_address",
     "tmap:a=global global_address:r=uint64 coords:r=int32*lanes1(dim+load_mode)",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_prefetch_override_address_im2col", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=3d|4d|5d level=L2 src=global "
     "load_mode=im2col|im2col::w|im2col::w::128 cache?=L2::cache_hint "
     "override_address=override::global_address",
     "tmap:a=global global_address:r=uint64 coords:r=int32*lanes2(dim) "
     "im2col_info:r=types8(load_mode)*lanes3(dim+load_mode) cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_prefetch_override_address_im2col_evict_last", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=3d|4d|5d level=L2 src=global "
     "load_mode=im2col|im2col::w|im2col::w::128 priority=L2::evict_last "
     "override_address=override::global_address",
     "tmap:a=global global_address:r=uint64 coords:r=int32*lanes2(dim) "
     "im2col_info:r=types8(load_mode)*lanes3(dim+load_mode)",
     ""},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_b16", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=1d level=L2 src=global load_mode?=tile "
     "cache?=L2::cache_hint override_address=override::global_address "
     "override_attribute=override::global_dim",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint16/int16/float16/bfloat16 coords:r=int32 "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_b8", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=1d level=L2 src=global load_mode?=tile "
     "cache?=L2::cache_hint override_address=override::global_address "
     "override_attribute=override::global_dim",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint8 coords:r=int32 "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_evict_last_b16", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=1d level=L2 src=global load_mode?=tile "
     "priority=L2::evict_last override_address=override::global_address "
     "override_attribute=override::global_dim",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint16/int16/float16/bfloat16 coords:r=int32",
     ""},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_evict_last_b8", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=1d level=L2 src=global load_mode?=tile "
     "priority=L2::evict_last override_address=override::global_address "
     "override_attribute=override::global_dim",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint8 coords:r=int32",
     ""},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_stride_b16", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=2d|3d|4d|5d level=L2 src=global "
     "load_mode?=tile cache?=L2::cache_hint override_address=override::global_address "
     "override_attribute=override::global_dim_stride",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint16/int16/float16/bfloat16*lanes4(dim) "
     "lower_stride:r=uint32/int32/float32*lanes5(dim) upper_stride:r=uint16/int16/float16/bfloat16 "
     "coords:r=int32*lanes4(dim) cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_stride_b8", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=2d|3d|4d|5d level=L2 src=global "
     "load_mode?=tile cache?=L2::cache_hint override_address=override::global_address "
     "override_attribute=override::global_dim_stride",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint8*lanes4(dim) "
     "lower_stride:r=uint32/int32/float32*lanes5(dim) upper_stride:r=uint16/int16/float16/bfloat16 "
     "coords:r=int32*lanes4(dim) cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_stride_evict_last_b16", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=2d|3d|4d|5d level=L2 src=global "
     "load_mode?=tile priority=L2::evict_last override_address=override::global_address "
     "override_attribute=override::global_dim_stride",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint16/int16/float16/bfloat16*lanes4(dim) "
     "lower_stride:r=uint32/int32/float32*lanes5(dim) upper_stride:r=uint16/int16/float16/bfloat16 "
     "coords:r=int32*lanes4(dim)",
     ""},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_stride_evict_last_b8", "cp",
     "api=async kind=bulk action=prefetch unit=tensor dim=2d|3d|4d|5d level=L2 src=global "
     "load_mode?=tile priority=L2::evict_last override_address=override::global_address "
     "override_attribute=override::global_dim_stride",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint8*lanes4(dim) "
     "lower_stride:r=uint32/int32/float32*lanes5(dim) upper_stride:r=uint16/int16/float16/bfloat16 "
     "coords:r=int32*lanes4(dim)",
     ""},
    {"cp_async_bulk_tensor_s2g", "cp",
     "api=async kind=bulk unit=tensor dim=1d|2d|3d|4d|5d dst=global src=shared::cta "
     "load_mode?=tile|tile::scatter4 completion=bulk_group cache?=L2::cache_hint",
     "tmap:a=global coords:r=int32*lanes1(dim+load_mode) src_mem:a=shared::cta+ "
     "cache_policy:r=uint64*lanes6(cache)",
     "dim=1d|3d|4d|5d>load_mode=tile|-"},
    {"cp_async_bulk_tensor_s2g_im2col_no_offs_w", "cp",
     "api=async kind=bulk unit=tensor dim=3d|4d|5d dst=global src=shared::cta "
     "load_mode=im2col_no_offs|im2col_no_offs::w completion=bulk_group cache?=L2::cache_hint",
     "tmap:a=global coords:r=int32*lanes2(dim) src_mem:a=shared::cta+ "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_s2g_override_address", "cp",
     "api=async kind=bulk unit=tensor dim=1d|2d|3d|4d|5d dst=global src=shared::cta "
     "load_mode?=tile|tile::scatter4 completion=bulk_group cache?=L2::cache_hint "
     "override_address=override::global_address",
     "tmap:a=global global_address:r=uint64 coords:r=int32*lanes1(dim+load_mode) "
     "src_mem:a=shared::cta+ cache_policy:r=uint64*lanes6(cache)",
     "dim=1d|3d|4d|5d>load_mode=tile|-"},
    {"cp_async_bulk_tensor_s2g_override_address_im2col_no_offs_w", "cp",
     "api=async kind=bulk unit=tensor dim=3d|4d|5d dst=global src=shared::cta "
     "load_mode=im2col_no_offs|im2col_no_offs::w completion=bulk_group cache?=L2::cache_hint "
     "override_address=override::global_address",
     "tmap:a=global global_address:r=uint64 coords:r=int32*lanes2(dim) src_mem:a=shared::cta+ "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_s2g_override_global_dim_b16", "cp",
     "api=async kind=bulk unit=tensor dim=1d dst=global src=shared::cta load_mode?=tile "
     "completion=bulk_group cache?=L2::cache_hint override_address=override::global_address "
     "override_attribute=override::global_dim",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint16/int16/float16/bfloat16 coords:r=int32 "
     "src_mem:a=shared::cta+ cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_s2g_override_global_dim_b8", "cp",
     "api=async kind=bulk unit=tensor dim=1d dst=global src=shared::cta load_mode?=tile "
     "completion=bulk_group cache?=L2::cache_hint override_address=override::global_address "
     "override_attribute=override::global_dim",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint8 coords:r=int32 src_mem:a=shared::cta+ "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_s2g_override_global_dim_stride_b16", "cp",
     "api=async kind=bulk unit=tensor dim=2d|3d|4d|5d dst=global src=shared::cta load_mode?=tile "
     "completion=bulk_group cache?=L2::cache_hint override_address=override::global_address "
     "override_attribute=override::global_dim_stride",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint16/int16/float16/bfloat16*lanes4(dim) "
     "lower_stride:r=uint32/int32/float32*lanes5(dim) upper_stride:r=uint16/int16/float16/bfloat16 "
     "coords:r=int32*lanes4(dim) src_mem:a=shared::cta+ cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_tensor_s2g_override_global_dim_stride_b8", "cp",
     "api=async kind=bulk unit=tensor dim=2d|3d|4d|5d dst=global src=shared::cta load_mode?=tile "
     "completion=bulk_group cache?=L2::cache_hint override_address=override::global_address "
     "override_attribute=override::global_dim_stride",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint8*lanes4(dim) "
     "lower_stride:r=uint32/int32/float32*lanes5(dim) upper_stride:r=uint16/int16/float16/bfloat16 "
     "coords:r=int32*lanes4(dim) src_mem:a=shared::cta+ cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_bulk_wait_group", "cp",
     "api=async kind=bulk action=wait_group read?=read",
     "group:i",
     ""},
    {"cp_async_ca", "cp",
     "api=async cop=ca dst=shared|shared::cta src=global cache?=L2::cache_hint "
     "prefetch?=L2::64B|L2::128B|L2::256B",
     "dst_mem:a=shared+ src_mem:a=global+ cp_size:i{4|8|16} cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_ca_ignore_src", "cp",
     "api=async cop=ca dst=shared|shared::cta src=global cache?=L2::cache_hint "
     "prefetch?=L2::64B|L2::128B|L2::256B",
     "dst_mem:a=shared+ src_mem:a=global+ cp_size:i{4|8|16} ignore_src:r=pred "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_ca_src_size", "cp",
     "api=async cop=ca dst=shared|shared::cta src=global cache?=L2::cache_hint "
     "prefetch?=L2::64B|L2::128B|L2::256B",
     "dst_mem:a=shared+ src_mem:a=global+ cp_size:i{4|8|16} src_size:r=uint32 "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_cg", "cp",
     "api=async cop=cg dst=shared|shared::cta src=global cache?=L2::cache_hint "
     "prefetch?=L2::64B|L2::128B|L2::256B",
     "dst_mem:a=shared+ src_mem:a=global+ cp_size:i{16} cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_cg_ignore_src", "cp",
     "api=async cop=cg dst=shared|shared::cta src=global cache?=L2::cache_hint "
     "prefetch?=L2::64B|L2::128B|L2::256B",
     "dst_mem:a=shared+ src_mem:a=global+ cp_size:i{16} ignore_src:r=pred "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_cg_src_size", "cp",
     "api=async cop=cg dst=shared|shared::cta src=global cache?=L2::cache_hint "
     "prefetch?=L2::64B|L2::128B|L2::256B",
     "dst_mem:a=shared+ src_mem:a=global+ cp_size:i{16} src_size:r=uint32 "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_async_commit_group", "cp",
     "api=async action=commit_group",
     "",
     ""},
    {"cp_async_mbarrier_arrive", "cp",
     "api=async target=mbarrier action=arrive noinc?=noinc space?=shared|shared::cta type=b64",
     "addr:a=@space+",
     ""},
    {"cp_async_wait_all", "cp",
     "api=async action=wait_all",
     "",
     ""},
    {"cp_async_wait_group", "cp",
     "api=async action=wait_group",
     "group:i",
     ""},
    {"cp_reduce_async_bulk_s2c", "cp",
     "op=reduce api=async kind=bulk sem?=relaxed scope?=cta|cluster dst=shared::cluster "
     "src=shared::cta completion=mbarrier::complete_tx::bytes redop=add|min|max|inc|dec|and|or|xor "
     "type=b32|u32|s32|u64",
     "dst_mem:a=shared::cluster+ src_mem:a=shared::cta+ size:r=uint32 mbar:a=shared+",
     "sem=relaxed>scope=cta|cluster sem=->scope=- redop=add>type=u32|s32|u64 "
     "redop=min|max>type=u32|s32 redop=inc|dec>type=u32 redop=and|or|xor>type=b32"},
    {"cp_reduce_async_bulk_s2g", "cp",
     "op=reduce api=async kind=bulk sem?=relaxed scope?=cta|cluster|gpu|sys dst=global src=shared::cta "
     "completion=bulk_group cache?=L2::cache_hint redop=add|min|max|inc|dec|and|or|xor noftz?=noftz "
     "type=f16|bf16|b32|u32|s32|b64|u64|s64|f32|f64",
     "dst_mem:a=global+ src_mem:a=shared::cta+ size:r=uint32 cache_policy:r=uint64*lanes6(cache)",
     "sem=relaxed>scope=cta|cluster|gpu|sys sem=->scope=- noftz=noftz>redop=add "
     "type=f16|bf16|s32|u64>redop=add|min|max type=b32|b64>redop=and|or|xor "
     "type=u32>redop=add|min|max|inc|dec type=s64>redop=min|max type=f32|f64>redop=add "
     "noftz=noftz>type=f16|bf16 redop=add&noftz=->type=b32|u32|s32|b64|u64|s64|f32|f64"},
    {"cp_reduce_async_bulk_s2g_f32_noftz", "cp",
     "op=reduce api=async kind=bulk sem?=relaxed scope?=cta|cluster|gpu|sys dst=global src=shared::cta "
     "completion=bulk_group cache?=L2::cache_hint redop=add noftz=noftz type=f32",
     "dst_mem:a=global+ src_mem:a=shared::cta+ size:r=uint32 cache_policy:r=uint64*lanes6(cache)",
     "sem=relaxed>scope=cta|cluster|gpu|sys sem=->scope=-"},
    {"cp_reduce_async_bulk_tensor", "cp",
     "op=reduce api=async kind=bulk unit=tensor dim=1d|2d|3d|4d|5d dst=global src=shared::cta "
     "redop=add|min|max|inc|dec|and|or|xor load_mode?=tile completion=bulk_group cache?=L2::cache_hint",
     "tmap:a=global coords:r=int32*lanes9(dim) src_mem:a=shared::cta+ "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_reduce_async_bulk_tensor_im2col_no_offs_w", "cp",
     "op=reduce api=async kind=bulk unit=tensor dim=3d|4d|5d dst=global src=shared::cta "
     "redop=add|min|max|inc|dec|and|or|xor load_mode=im2col_no_offs|im2col_no_offs::w "
     "completion=bulk_group cache?=L2::cache_hint",
     "tmap:a=global coords:r=int32*lanes2(dim) src_mem:a=shared::cta+ "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_reduce_async_bulk_tensor_override_address", "cp",
     "op=reduce api=async kind=bulk unit=tensor dim=1d|2d|3d|4d|5d dst=global src=shared::cta "
     "redop=add|min|max|inc|dec|and|or|xor load_mode?=tile completion=bulk_group cache?=L2::cache_hint "
     "override_address=override::global_address",
     "tmap:a=global global_address:r=uint64 coords:r=int32*lanes9(dim) src_mem:a=shared::cta+ "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_reduce_async_bulk_tensor_override_address_im2col_no_offs_w", "cp",
     "op=reduce api=async kind=bulk unit=tensor dim=3d|4d|5d dst=global src=shared::cta "
     "redop=add|min|max|inc|dec|and|or|xor load_mode=im2col_no_offs|im2col_no_offs::w "
     "completion=bulk_group cache?=L2::cache_hint override_address=override::global_address",
     "tmap:a=global global_address:r=uint64 coords:r=int32*lanes2(dim) src_mem:a=shared::cta+ "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_reduce_async_bulk_tensor_override_global_dim_b16", "cp",
     "op=reduce api=async kind=bulk unit=tensor dim=1d dst=global src=shared::cta "
     "redop=add|min|max|inc|dec|and|or|xor load_mode?=tile completion=bulk_group cache?=L2::cache_hint "
     "override_address=override::global_address override_attribute=override::global_dim",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint16/int16/float16/bfloat16 coords:r=int32 "
     "src_mem:a=shared::cta+ cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_reduce_async_bulk_tensor_override_global_dim_b8", "cp",
     "op=reduce api=async kind=bulk unit=tensor dim=1d dst=global src=shared::cta "
     "redop=add|min|max|inc|dec|and|or|xor load_mode?=tile completion=bulk_group cache?=L2::cache_hint "
     "override_address=override::global_address override_attribute=override::global_dim",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint8 coords:r=int32 src_mem:a=shared::cta+ "
     "cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_reduce_async_bulk_tensor_override_global_dim_stride_b16", "cp",
     "op=reduce api=async kind=bulk unit=tensor dim=2d|3d|4d|5d dst=global src=shared::cta "
     "redop=add|min|max|inc|dec|and|or|xor load_mode?=tile completion=bulk_group cache?=L2::cache_hint "
     "override_address=override::global_address override_attribute=override::global_dim_stride",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint16/int16/float16/bfloat16*lanes4(dim) "
     "lower_stride:r=uint32/int32/float32*lanes5(dim) upper_stride:r=uint16/int16/float16/bfloat16 "
     "coords:r=int32*lanes4(dim) src_mem:a=shared::cta+ cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"cp_reduce_async_bulk_tensor_override_global_dim_stride_b8", "cp",
     "op=reduce api=async kind=bulk unit=tensor dim=2d|3d|4d|5d dst=global src=shared::cta "
     "redop=add|min|max|inc|dec|and|or|xor load_mode?=tile completion=bulk_group cache?=L2::cache_hint "
     "override_address=override::global_address override_attribute=override::global_dim_stride",
     "tmap:a=global global_address:r=uint64 tensor_size:r=uint8*lanes4(dim) "
     "lower_stride:r=uint32/int32/float32*lanes5(dim) upper_stride:r=uint16/int16/float16/bfloat16 "
     "coords:r=int32*lanes4(dim) src_mem:a=shared::cta+ cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"fabric_submit", "fabric",
     "action=submit submitop?=op_restrict::fetching",
     "",
     ""},
    {"fabric_try_get", "fabric",
     "action=try_get api=async dst=shared::cta "
     "completion=mbarrier::complete_tx::bytes.mbarrier::report::fabric sem=relaxed scope=sys type=b128",
     "dst_mem:a=shared::cta+ src_le_id:r=uint32 src_data_off:r=uint64 size:r=uint32 "
     "mbar:a=shared::cta+",
     ""},
    {"fabric_try_pullred", "fabric",
     "action=try_pullred api=async multimem=multimem dst=shared::cta "
     "completion=mbarrier::complete_tx::bytes.mbarrier::report::fabric sem=relaxed scope=sys "
     "redop=and|or|xor|min|max|add type=b32|b64|u32|s32|u64|s64|f16|bf16|f32 sync=sync",
     "dst_mem:a=shared::cta+ src_le_id:r=uint32 src_data_off:r=uint64 size:r=uint32 "
     "mbar:a=shared::cta+",
     "type=b32|b64>redop=and|or|xor type=u32|u64|f16|bf16>redop=min|max|add type=s32|s64>redop=min|max "
     "type=f32>redop=add"},
    {"fabric_try_put", "fabric",
     "action=try_put api=async multimem?=multimem src=shared::cta "
     "completion=mbarrier::complete_tx::16B.mbarrier::report::fabric sem=relaxed scope=sys type=b128",
     "dst_le_id:r=uint32 dst_data_off:r=uint64 src_mem:a=shared::cta+ size:r=uint32 "
     "mbar:a=shared::cta+",
     ""},
    {"fabric_try_put_counted", "fabric",
     "action=try_put api=async multimem?=multimem src=shared::cta "
     "completion=mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes sem=relaxed "
     "scope=sys type=b128",
     "dst_le_id:r=uint32 dst_data_off:r=uint64 dst_counter_off:r=uint64 src_mem:a=shared::cta+ "
     "size:r=uint32 mbar:a=shared::cta+",
     ""},
    {"fabric_try_put_cp_mask", "fabric",
     "action=try_put api=async multimem?=multimem src=shared::cta "
     "completion=mbarrier::complete_tx::16B.mbarrier::report::fabric cp_mask=cp_mask sem=relaxed "
     "scope=sys type=b128",
     "dst_le_id:r=uint32 dst_data_off:r=uint64 src_mem:a=shared::cta+ size:r=uint32 "
     "mbar:a=shared::cta+ byte_mask:r=uint16",
     ""},
    {"fabric_try_red", "fabric",
     "action=try_red api=async multimem?=multimem src=shared::cta "
     "completion=mbarrier::complete_tx::16B.mbarrier::report::fabric sem=relaxed scope=sys "
     "redop=and|or|xor|min|max|add type=b32|b64|u32|s32|u64|s64|f16|bf16|f32|f64",
     "dst_le_id:r=uint32 dst_data_off:r=uint64 src_mem:a=shared::cta+ size:r=uint32 "
     "mbar:a=shared::cta+",
     "type=b32|b64>redop=and|or|xor type=u32|u64|f16|bf16>redop=min|max|add type=s32|s64>redop=min|max "
     "type=f32|f64>redop=add"},
    {"fabric_try_red_counted", "fabric",
     "action=try_red api=async multimem?=multimem src=shared::cta "
     "completion=mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes sem=relaxed "
     "scope=sys redop=and|or|xor|min|max|add type=b32|b64|u32|s32|u64|s64|f16|bf16|f32|f64",
     "dst_le_id:r=uint32 dst_data_off:r=uint64 dst_counter_off:r=uint64 src_mem:a=shared::cta+ "
     "size:r=uint32 mbar:a=shared::cta+",
     "type=b32|b64>redop=and|or|xor type=u32|u64|f16|bf16>redop=min|max|add type=s32|s64>redop=min|max "
     "type=f32|f64>redop=add"},
    {"fabric_wait", "fabric",
     "action=wait waitop=sync_restrict::reads",
     "",
     ""},
    {"multimem_cp_async_bulk", "multimem_cp",
     "api=async kind=bulk sem?=weak|relaxed scope?=cta|cluster|gpu|sys dst=global src=shared::cta "
     "completion=bulk_group cp_mask?=cp_mask type?=b128",
     "dst_mem:a=global+ src_mem:a=shared::cta+ size:r=uint32 byte_mask:r=uint16*lanes6(cp_mask)",
     "sem=weak|->scope=- sem=relaxed>scope=cta|cluster|gpu|sys sem=weak|->type=- sem=relaxed>type=b128 "
     "scope=cta|cluster|gpu|sys>type=b128 scope=->type=-"},
    {"multimem_cp_reduce_async_bulk", "multimem_cp",
     "op=reduce api=async kind=bulk sem?=relaxed scope?=cta|cluster|gpu|sys dst=global src=shared::cta "
     "completion=bulk_group redop=add|min|max|inc|dec|and|or|xor noftz?=noftz "
     "type=f16|bf16|b32|u32|s32|b64|u64|s64|f32|f64",
     "dst_mem:a=global+ src_mem:a=shared::cta+ size:r=uint32",
     "sem=relaxed>scope=cta|cluster|gpu|sys sem=->scope=- noftz=noftz>redop=add "
     "type=f16|bf16|s32|u64>redop=add|min|max type=b32|b64>redop=and|or|xor "
     "type=u32>redop=add|min|max|inc|dec type=s64>redop=min|max type=f32|f64>redop=add "
     "noftz=noftz>type=f16|bf16 redop=add&noftz=->type=b32|u32|s32|b64|u64|s64|f32|f64"},
    {"multimem_cp_reduce_async_bulk_f32_noftz", "multimem_cp",
     "op=reduce api=async kind=bulk sem?=relaxed scope?=cta|cluster|gpu|sys dst=global src=shared::cta "
     "completion=bulk_group redop=add noftz=noftz type=f32",
     "dst_mem:a=global+ src_mem:a=shared::cta+ size:r=uint32",
     "sem=relaxed>scope=cta|cluster|gpu|sys sem=->scope=-"},
    {"tensormap_cp_fenceproxy", "tensormap_cp_fenceproxy",
     "dst=global src=shared::cta proxy=tensormap::generic sem=release scope=cta|cluster|gpu|sys "
     "sync=sync aligned=aligned",
     "dst_mem:a=global+ src_mem:a=shared::cta+",
     ""},
    {"tensormap_replace_address", "tensormap_replace",
     "mode=tile field=global_address space?=global|shared::cta width=b1024 type=b64",
     "addr:a=@space+ new_val:r=uint64/int64/float64",
     ""},
    {"tensormap_replace_dim", "tensormap_replace",
     "mode=tile field=box_dim|global_dim|element_stride space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ ord:i{0|1|2|3|4} new_val:r=uint32/int32",
     ""},
    {"tensormap_replace_elemtype", "tensormap_replace",
     "mode=tile field=elemtype space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ new_val:i{0|1|2|3|4|5|6|7|8|9|10|11|12}",
     ""},
    {"tensormap_replace_fill_mode", "tensormap_replace",
     "mode=tile field=fill_mode space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ new_val:i{0|1}",
     ""},
    {"tensormap_replace_interleave_layout", "tensormap_replace",
     "mode=tile field=interleave_layout space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ new_val:i{0|1|2}",
     ""},
    {"tensormap_replace_rank", "tensormap_replace",
     "mode=tile field=rank space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ new_val:r=uint32/int32/float32",
     ""},
    {"tensormap_replace_stride", "tensormap_replace",
     "mode=tile field=global_stride space?=global|shared::cta width=b1024 type=b64",
     "addr:a=@space+ ord:i{0|1|2|3|4} new_val:r=uint64/int64/float64",
     ""},
    {"tensormap_replace_swizzle_mode", "tensormap_replace",
     "mode=tile field=swizzle_mode space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ new_val:i{0|1|2|3}",
     ""},
    {"tensormap_replace_swizzle_mode_sm103a", "tensormap_replace",
     "mode=tile field=swizzle_mode space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ new_val:i{4}",
     ""},
};
// clang-format on

}  // namespace

std::span<const PtxRow> ptx_async_copy_rows() { return rows; }

}  // namespace mlc::ir
