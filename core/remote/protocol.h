// SPDX-License-Identifier: BSD-3-Clause
//
// What a window and `dynascope-cli serve` on another machine say to each other: the engine's framing (JSON-RPC 2.0,
// bulk data in pieces for credits, progress, cancel; core/engine/wire/protocol.h), with these methods:
//
//   hello   HelloRequest, HelloReply
//   open    OpenRequest, OpenReply: the files of a capture
//   index   IndexRequest, IndexReply, bulk data: a file but for pieces that stay there (core/capture/log_index.h)
//   pieces  PiecesRequest, PiecesReply, bulk data: such pieces
//
// Bulk data is packed by Zstandard. Of "index" it unpacks to what does not stay, and then three LEB128 numbers a piece
// that stays: bytes between it and the piece before it, its length, and twice its line ends, plus one where it ends
// with one.
#pragma once

#include "core/engine/wire/wire.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dynascope::remote {

/// Rises when an older end could misread the other.
inline constexpr int protocolVersion = 1;

struct HelloRequest {
    int protocol = 0;
    std::string version; ///< of the program that asks
};

struct HelloReply {
    int protocol = 0;
    std::string version; ///< of dynascope-cli there
};

struct OpenRequest {
    std::string path; ///< there; "~" and "~/..." are the home of who logged in
};

struct RemoteFile {
    std::string name;        ///< as of session::InputFile
    std::uint64_t bytes = 0; ///< as it was opened
    /// Says which file it is: what is read of it later is of the same one, or of one that grew.
    std::uint64_t device = 0, inode = 0;
};

struct RemoteWarning {
    std::string message, file;
};

struct OpenReply {
    bool isFolder = false;
    std::vector<RemoteFile> files;
    std::vector<RemoteWarning> unusable; ///< files of a folder that cannot be read
};

struct IndexRequest {
    std::uint64_t file = 0; ///< into OpenReply::files
};

struct IndexReply {
    std::uint64_t here = 0;    ///< bytes of the file that come along
    std::uint64_t staying = 0; ///< pieces that do not
};

struct Piece {
    std::uint64_t offset = 0, length = 0; ///< in bytes of the file
};

struct PiecesRequest {
    std::uint64_t file = 0;
    std::vector<Piece> pieces; ///< in their order
};

struct PiecesReply {};

/// Most that one PiecesRequest may ask for, in bytes.
inline constexpr std::uint64_t mostPieceBytes = std::uint64_t{64} << 20U;

} // namespace dynascope::remote
