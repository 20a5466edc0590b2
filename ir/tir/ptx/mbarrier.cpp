// SPDX-License-Identifier: Apache-2.0
// Forms of PTX instructions: mbarrier objects. The columns are explained in ptx.h.
#include "ir/tir/ptx.h"

namespace mlc::ir {
namespace {

// clang-format off
constexpr PtxRow mbarrier_table[] = {
    {"mbarrier_arrive[;_drop;_drop_nocount;_nocount]", "mbarrier",
     "action=arrive[;_drop;_drop;] sem?=release|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta|shared::cluster type=b64",
     "addr:a=@space+[ count:r=uint32; count:r=uint32;;]",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_[count_;drop_count_;drop_;]state", "mbarrier",
     "action=arrive[;_drop;_drop;] sem?=release|relaxed scope?=cta|cluster $shared type=b64",
     "state:w=uint64/int64 addr:a=@space+[ count:r=uint32; count:r=uint32;;]",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_[drop_;]expect_tx", "mbarrier",
     "action=arrive[_drop;] expect_tx=expect_tx sem?=release|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta|shared::cluster type=b64",
     "addr:a=@space+ tx_count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_[expect_tx_;]multicast32", "mbarrier",
     "action=arrive_drop [expect_tx=expect_tx ;]sem?=release|relaxed scope?=cta|cluster "
     "space=shared::cluster multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ [tx_;]count:r=uint32 cta_mask:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_[drop_;]expect_tx_state", "mbarrier",
     "action=arrive[_drop;] expect_tx=expect_tx sem?=release|relaxed scope?=cta|cluster $shared type=b64",
     "state:w=uint64/int64 addr:a=@space+ count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_[drop_;]multicast32_nocount", "mbarrier",
     "action=arrive[_drop;] sem?=release|relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ cta_mask:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_no_complete[;_sink]", "mbarrier",
     "action=arrive_drop nocomplete=noComplete sem?=release scope?=cta $shared type=b64",
     "[state:u=uint64/int64 ;]addr:a=@space+ count:r=uint32",
     "sem=release>scope=cta sem=->scope=-"},
    {"mbarrier_arrive_[expect_tx_;]multicast32", "mbarrier",
     "action=arrive [expect_tx=expect_tx ;]sem?=release|relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ [tx_;]count:r=uint32 cta_mask:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_no_complete[;_sink]", "mbarrier",
     "action=arrive nocomplete=noComplete sem?=release scope?=cta $shared type=b64",
     "[state:u=uint64/int64 ;]addr:a=@space+ count:r=uint32",
     "sem=release>scope=cta sem=->scope=-"},
    {"mbarrier_check_layout", "mbarrier",
     "action=check_layout layout=layout::v0|layout::v1 space?=shared::cta type=b64",
     "matches:w=pred addr:a=@space+"},
    {"mbarrier_[complete;expect]_tx", "mbarrier",
     "action=[complete;expect]_tx sem?=relaxed scope?=cta|cluster "
     "space?=shared|shared::cta|shared::cluster type=b64",
     "addr:a=@space+ tx_count:r=uint32",
     "sem=relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_[complete;expect]_tx_multicast32", "mbarrier",
     "action=[complete;expect]_tx sem?=relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ tx_count:r=uint32 cta_mask:r=uint32",
     "sem=relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_init", "mbarrier",
     "action=init layout?=layout::v0|layout::v1 $shared type=b64",
     "addr:a=@space+ count:r=uint32"},
    {"mbarrier_inval", "mbarrier", "action=inval $shared type=b64", "addr:a=@space+"},
    {"mbarrier_pending_count", "mbarrier",
     "action=pending_count layout?=layout::v0 type=b64",
     "count:w=uint32 state:r=uint64/int64"},
    {"mbarrier_test_wait[;_report]", "mbarrier",
     "action=test_wait phase_[type?;type]=phase_type::primary $block $shared type=b64",
     "wait_complete:w=pred [;report_predicate:w=pred ]addr:a=@space+ [state;phase]:r=uint64/int64",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_[test;try]_wait_parity", "mbarrier",
     "action=[test;try]_wait parity=parity phase_type?=phase_type::primary|phase_type::conditional $block "
     "$shared type=b64",
     "wait_complete:w=pred addr:a=@space+ phase:r=uint32[; time_hint:r=uint32]",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_test_wait_parity_report[;_value]", "mbarrier",
     "action=test_wait parity=parity phase_type=phase_type::primary $block $shared type=b64",
     "wait_complete:w=pred report_predicate:w=pred [;report_value:w=uint8 ]addr:a=@space+ phase:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_[test;try]_wait_report_value", "mbarrier",
     "action=[test;try]_wait phase_type=phase_type::primary $block $shared type=b64",
     "wait_complete:w=pred report_predicate:w=pred report_value:w=uint8 addr:a=@space+ "
     "phase:r=uint64/int64",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait[;_hint]", "mbarrier",
     "action=try_wait phase_type?=phase_type::primary $block $shared type=b64",
     "wait_complete:w=pred addr:a=@space+ state:r=uint64/int64[; time_hint:r=uint32]",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_parity_no_hint", "mbarrier",
     "action=try_wait parity=parity phase_type?=phase_type::primary|phase_type::conditional $block $shared "
     "type=b64",
     "wait_complete:w=pred addr:a=@space+ phase:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_parity_report[;_hint;_value]", "mbarrier",
     "action=try_wait parity=parity phase_type=phase_type::primary $block $shared type=b64",
     "wait_complete:w=pred report_predicate:w=pred [;;report_value:w=uint8 ]addr:a=@space+ "
     "phase:r=uint32[; time_hint:r=uint32;]",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_[parity_;]report_value_hint", "mbarrier",
     "action=try_wait [parity=parity ;]phase_type=phase_type::primary $block $shared type=b64",
     "wait_complete:w=pred report_predicate:w=pred report_value:w=uint8 addr:a=@space+ "
     "phase:r=[uint32;uint64/int64] time_hint:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_report[;_hint]", "mbarrier",
     "action=try_wait phase_type=phase_type::primary $block $shared type=b64",
     "wait_complete:w=pred report_predicate:w=pred addr:a=@space+ phase:r=uint64/int64[; "
     "time_hint:r=uint32]",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
};
// clang-format on

}  // namespace

std::span<const PtxRow> ptx_mbarrier_rows() { return mbarrier_table; }

}  // namespace mlc::ir
