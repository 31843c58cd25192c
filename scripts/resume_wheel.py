#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""resume_wheel.py FILE: goes on with a wheel that pip was fetching when it was stopped

pip begins such a file anew, and PyTorch's is large. So pip is asked where it would take the file from (its own settings,
certificates and credentials hold), and only the rest of it is fetched. Run by the pip's own Python. Ends with 0 where the
file is whole then; with 1 where it is not, for whatever reason: who calls this goes on as if nothing had been there.
Written on pip's own parts, which may change: what they lack ends this with 1 as well."""
import hashlib
import re
import sys
import zipfile
from pathlib import Path

piece_bytes = 1 << 20


def is_whole(wheel):
    try:
        return zipfile.ZipFile(wheel).testzip() is None
    except (OSError, zipfile.BadZipFile):
        return False  # the list of contents stands at its end


def link_of(finder, name):
    """Where pip would take the file from; None where it would not take it."""
    project = re.sub(r"[-_.]+", "-", name.split("-")[0]).lower()
    links = [one.link for one in finder.find_all_candidates(project) if one.link.filename == name]
    return links[0] if links and links[0].scheme in ("http", "https") else None


def fetch_rest(session, link, wheel):
    """False where the server does not send a part, or the file there is none that this is the beginning of."""
    have = wheel.stat().st_size
    # Packed on the way, its bytes would be others.
    answer = session.get(link.url_without_fragment, stream=True,
                         headers={"Accept-Encoding": "identity", "Range": f"bytes={have}-"})
    said = re.match(rf"bytes {have}-\d+/(\d+)$", answer.headers.get("Content-Range", ""))
    if answer.status_code != 206 or not said:
        return False
    # As pip says it: the bar of ./run reads it.
    print(f"  Downloading {wheel.name} ({int(said[1]) / 1e6:.1f} MB), of which {have / 1e6:.1f} MB are here", flush=True)
    with wheel.open("ab") as file:
        for piece in answer.raw.stream(piece_bytes, decode_content=False):
            file.write(piece)
    if wheel.stat().st_size != int(said[1]):
        return False
    if link.hash_name in hashlib.algorithms_guaranteed:
        digest = hashlib.new(link.hash_name)
        with wheel.open("rb") as file:
            while piece := file.read(piece_bytes):
                digest.update(piece)
        return digest.hexdigest() == link.hash
    return True


def resume(wheel):
    from pip._internal.commands import create_command

    command = create_command("download")
    options, _ = command.parse_args([wheel.name])
    options.cache_dir = None  # of a part nothing is kept
    with command.main_context():
        session = command.get_default_session(options)
        link = link_of(command._build_package_finder(options, session), wheel.name)
        return link is not None and fetch_rest(session, link, wheel)


wheel = Path(sys.argv[1])
if not is_whole(wheel):
    try:
        if not resume(wheel):
            sys.exit(1)
    except Exception as error:  # pip's, of any kind
        print(f"not gone on with {wheel.name}: {error!r}", flush=True)
        sys.exit(1)
sys.exit(not is_whole(wheel))
