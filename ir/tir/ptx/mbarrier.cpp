// SPDX-License-Identifier: Apache-2.0
// Forms of PTX instructions: mbarrier objects. The columns are explained in ptx.h.
#include "ir/tir/ptx.h"

namespace mlc::ir {
namespace {

// clang-format off
constexpr PtxRow rows[] = {
    {"mbarrier_arrive", "mbarrier",
     "action=arrive sem?=release|relaxed scope?=cta|cluster space?=shared|shared::cta|shared::cluster "
     "type=b64",
     "addr:a=@space+ count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_count_state", "mbarrier",
     "action=arrive sem?=release|relaxed scope?=cta|cluster space?=shared|shared::cta type=b64",
     "state:w=uint64/int64 addr:a=@space+ count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop", "mbarrier",
     "action=arrive_drop sem?=release|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta|shared::cluster type=b64",
     "addr:a=@space+ count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_count_state", "mbarrier",
     "action=arrive_drop sem?=release|relaxed scope?=cta|cluster space?=shared|shared::cta type=b64",
     "state:w=uint64/int64 addr:a=@space+ count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_expect_tx", "mbarrier",
     "action=arrive_drop expect_tx=expect_tx sem?=release|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta|shared::cluster type=b64",
     "addr:a=@space+ tx_count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_expect_tx_multicast32", "mbarrier",
     "action=arrive_drop expect_tx=expect_tx sem?=release|relaxed scope?=cta|cluster "
     "space=shared::cluster multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ tx_count:r=uint32 cta_mask:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_expect_tx_state", "mbarrier",
     "action=arrive_drop expect_tx=expect_tx sem?=release|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "state:w=uint64/int64 addr:a=@space+ count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_multicast32", "mbarrier",
     "action=arrive_drop sem?=release|relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ count:r=uint32 cta_mask:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_multicast32_nocount", "mbarrier",
     "action=arrive_drop sem?=release|relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ cta_mask:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_no_complete", "mbarrier",
     "action=arrive_drop nocomplete=noComplete sem?=release scope?=cta space?=shared|shared::cta "
     "type=b64",
     "state:u=uint64/int64 addr:a=@space+ count:r=uint32",
     "sem=release>scope=cta sem=->scope=-"},
    {"mbarrier_arrive_drop_no_complete_sink", "mbarrier",
     "action=arrive_drop nocomplete=noComplete sem?=release scope?=cta space?=shared|shared::cta "
     "type=b64",
     "addr:a=@space+ count:r=uint32",
     "sem=release>scope=cta sem=->scope=-"},
    {"mbarrier_arrive_drop_nocount", "mbarrier",
     "action=arrive_drop sem?=release|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta|shared::cluster type=b64",
     "addr:a=@space+",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_state", "mbarrier",
     "action=arrive_drop sem?=release|relaxed scope?=cta|cluster space?=shared|shared::cta type=b64",
     "state:w=uint64/int64 addr:a=@space+",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_expect_tx", "mbarrier",
     "action=arrive expect_tx=expect_tx sem?=release|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta|shared::cluster type=b64",
     "addr:a=@space+ tx_count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_expect_tx_multicast32", "mbarrier",
     "action=arrive expect_tx=expect_tx sem?=release|relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ tx_count:r=uint32 cta_mask:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_expect_tx_state", "mbarrier",
     "action=arrive expect_tx=expect_tx sem?=release|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "state:w=uint64/int64 addr:a=@space+ count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_multicast32", "mbarrier",
     "action=arrive sem?=release|relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ count:r=uint32 cta_mask:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_multicast32_nocount", "mbarrier",
     "action=arrive sem?=release|relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ cta_mask:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_no_complete", "mbarrier",
     "action=arrive nocomplete=noComplete sem?=release scope?=cta space?=shared|shared::cta type=b64",
     "state:u=uint64/int64 addr:a=@space+ count:r=uint32",
     "sem=release>scope=cta sem=->scope=-"},
    {"mbarrier_arrive_no_complete_sink", "mbarrier",
     "action=arrive nocomplete=noComplete sem?=release scope?=cta space?=shared|shared::cta type=b64",
     "addr:a=@space+ count:r=uint32",
     "sem=release>scope=cta sem=->scope=-"},
    {"mbarrier_arrive_nocount", "mbarrier",
     "action=arrive sem?=release|relaxed scope?=cta|cluster space?=shared|shared::cta|shared::cluster "
     "type=b64",
     "addr:a=@space+",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_state", "mbarrier",
     "action=arrive sem?=release|relaxed scope?=cta|cluster space?=shared|shared::cta type=b64",
     "state:w=uint64/int64 addr:a=@space+",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_check_layout", "mbarrier",
     "action=check_layout layout=layout::v0|layout::v1 space?=shared::cta type=b64",
     "matches:w=pred addr:a=@space+",
     ""},
    {"mbarrier_complete_tx", "mbarrier",
     "action=complete_tx sem?=relaxed scope?=cta|cluster space?=shared|shared::cta|shared::cluster "
     "type=b64",
     "addr:a=@space+ tx_count:r=uint32",
     "sem=relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_complete_tx_multicast32", "mbarrier",
     "action=complete_tx sem?=relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ tx_count:r=uint32 cta_mask:r=uint32",
     "sem=relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_expect_tx", "mbarrier",
     "action=expect_tx sem?=relaxed scope?=cta|cluster space?=shared|shared::cta|shared::cluster "
     "type=b64",
     "addr:a=@space+ tx_count:r=uint32",
     "sem=relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_expect_tx_multicast32", "mbarrier",
     "action=expect_tx sem?=relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ tx_count:r=uint32 cta_mask:r=uint32",
     "sem=relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_init", "mbarrier",
     "action=init layout?=layout::v0|layout::v1 space?=shared|shared::cta type=b64",
     "addr:a=@space+ count:r=uint32",
     ""},
    {"mbarrier_inval", "mbarrier",
     "action=inval space?=shared|shared::cta type=b64",
     "addr:a=@space+",
     ""},
    {"mbarrier_pending_count", "mbarrier",
     "action=pending_count layout?=layout::v0 type=b64",
     "count:w=uint32 state:r=uint64/int64",
     ""},
    {"mbarrier_test_wait", "mbarrier",
     "action=test_wait phase_type?=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred addr:a=@space+ state:r=uint64/int64",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_test_wait_parity", "mbarrier",
     "action=test_wait parity=parity phase_type?=phase_type::primary|phase_type::conditional "
     "sem?=acquire|relaxed scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred addr:a=@space+ phase:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_test_wait_parity_report", "mbarrier",
     "action=test_wait parity=parity phase_type=phase_type::primary sem?=acquire|relaxed "
     "scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred addr:a=@space+ phase:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_test_wait_parity_report_value", "mbarrier",
     "action=test_wait parity=parity phase_type=phase_type::primary sem?=acquire|relaxed "
     "scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred report_value:w=uint8 addr:a=@space+ phase:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_test_wait_report", "mbarrier",
     "action=test_wait phase_type=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred addr:a=@space+ phase:r=uint64/int64",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_test_wait_report_value", "mbarrier",
     "action=test_wait phase_type=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred report_value:w=uint8 addr:a=@space+ "
     "phase:r=uint64/int64",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait", "mbarrier",
     "action=try_wait phase_type?=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred addr:a=@space+ state:r=uint64/int64",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_hint", "mbarrier",
     "action=try_wait phase_type?=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred addr:a=@space+ state:r=uint64/int64 time_hint:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_parity", "mbarrier",
     "action=try_wait parity=parity phase_type?=phase_type::primary|phase_type::conditional "
     "sem?=acquire|relaxed scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred addr:a=@space+ phase:r=uint32 time_hint:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_parity_no_hint", "mbarrier",
     "action=try_wait parity=parity phase_type?=phase_type::primary|phase_type::conditional "
     "sem?=acquire|relaxed scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred addr:a=@space+ phase:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_parity_report", "mbarrier",
     "action=try_wait parity=parity phase_type=phase_type::primary sem?=acquire|relaxed "
     "scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred addr:a=@space+ phase:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_parity_report_hint", "mbarrier",
     "action=try_wait parity=parity phase_type=phase_type::primary sem?=acquire|relaxed "
     "scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred addr:a=@space+ phase:r=uint32 time_hint:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_parity_report_value", "mbarrier",
     "action=try_wait parity=parity phase_type=phase_type::primary sem?=acquire|relaxed "
     "scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred report_value:w=uint8 addr:a=@space+ phase:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_parity_report_value_hint", "mbarrier",
     "action=try_wait parity=parity phase_type=phase_type::primary sem?=acquire|relaxed "
     "scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred report_value:w=uint8 addr:a=@space+ phase:r=uint32 "
     "time_hint:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_report", "mbarrier",
     "action=try_wait phase_type=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred addr:a=@space+ phase:r=uint64/int64",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_report_hint", "mbarrier",
     "action=try_wait phase_type=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred addr:a=@space+ phase:r=uint64/int64 "
     "time_hint:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_report_value", "mbarrier",
     "action=try_wait phase_type=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred report_value:w=uint8 addr:a=@space+ "
     "phase:r=uint64/int64",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_report_value_hint", "mbarrier",
     "action=try_wait phase_type=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred report_value:w=uint8 addr:a=@space+ "
     "phase:r=uint64/int64 time_hint:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
};
// clang-format on

}  // namespace

std::span<const PtxRow> ptx_mbarrier_rows() { return rows; }

}  // namespace mlc::ir
