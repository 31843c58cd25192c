// SPDX-License-Identifier: BSD-3-Clause
#include "core/remote/protocol.h"

#include "core/base/codec.h"

namespace dynascope::wire {

using namespace dynascope::remote;

template <>
struct Fields<HelloRequest> {
    static constexpr const char* name = "hello request";
    static void of(auto& f, auto& x) {
        f("protocol", x.protocol);
        f("version", x.version);
    }
};

template <>
struct Fields<HelloReply> {
    static constexpr const char* name = "hello reply";
    static void of(auto& f, auto& x) {
        f("protocol", x.protocol);
        f("version", x.version);
    }
};

template <>
struct Fields<OpenRequest> {
    static constexpr const char* name = "open request";
    static void of(auto& f, auto& x) { f("path", x.path); }
};

template <>
struct Fields<RemoteFile> {
    static constexpr const char* name = "file";
    static void of(auto& f, auto& x) {
        f("name", x.name);
        f("bytes", x.bytes);
        f("device", x.device);
        f("inode", x.inode);
    }
};

template <>
struct Fields<RemoteWarning> {
    static constexpr const char* name = "warning";
    static void of(auto& f, auto& x) {
        f("message", x.message);
        f("file", x.file);
    }
};

template <>
struct Fields<OpenReply> {
    static constexpr const char* name = "open reply";
    static void of(auto& f, auto& x) {
        f("folder", x.isFolder);
        f("files", x.files);
        f("unusable", x.unusable);
    }
};

template <>
struct Fields<IndexRequest> {
    static constexpr const char* name = "index request";
    static void of(auto& f, auto& x) { f("file", x.file); }
};

template <>
struct Fields<IndexReply> {
    static constexpr const char* name = "index reply";
    static void of(auto& f, auto& x) {
        f("here", x.here);
        f("staying", x.staying);
    }
};

template <>
struct Fields<Piece> {
    static constexpr const char* name = "piece";
    static void of(auto& f, auto& x) {
        f("offset", x.offset);
        f("length", x.length);
    }
};

template <>
struct Fields<PiecesRequest> {
    static constexpr const char* name = "pieces request";
    static void of(auto& f, auto& x) {
        f("file", x.file);
        f("pieces", x.pieces);
    }
};

template <>
struct Fields<PiecesReply> {
    static constexpr const char* name = "pieces reply";
    static void of(auto& /*f*/, auto& /*x*/) {}
};

DYNASCOPE_WIRE(HelloRequest)
DYNASCOPE_WIRE(HelloReply)
DYNASCOPE_WIRE(OpenRequest)
DYNASCOPE_WIRE(OpenReply)
DYNASCOPE_WIRE(IndexRequest)
DYNASCOPE_WIRE(IndexReply)
DYNASCOPE_WIRE(PiecesRequest)
DYNASCOPE_WIRE(PiecesReply)

} // namespace dynascope::wire
