// SPDX-License-Identifier: Apache-2.0
// MD5 (RFC 1321), by which folders of weights know their shards. It detects damage, not forgery.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace mlc::model {

std::string md5_hex(std::span<const uint8_t> bytes);

}  // namespace mlc::model
