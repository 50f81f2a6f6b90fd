"""Verifies an unpacked audit export with nothing but Python's own library.

Written from docs/audit-bundle.md alone, so that it notices what the document leaves out. Takes an
export of all rows as NDJSON, as the ZIP file below 4 GiB or as its folder. Signatures are checked by
OpenSSL.
"""

import base64
import hashlib
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile


def check(is_right, what):
    if not is_right:
        sys.exit(f"wrong: {what}")


def check_extra(extra):
    seen = set()
    while extra:
        check(len(extra) >= 4, "extra field")
        kind, length = struct.unpack_from("<HH", extra)
        lengths = {0x5455: (5, 9, 13), 0x7875: (11,), 0x5855: (8, 12), 0x000A: (32,), 0xCAFE: (0,)}
        check(kind not in seen and length in lengths.get(kind, ()), "extra field")
        check(len(extra) >= 4 + length, "extra field")
        seen.add(kind)
        extra = extra[4 + length :]


def unpack(file, place):
    data = file.read_bytes()
    with zipfile.ZipFile(file) as archive:
        infos = sorted(archive.infolist(), key=lambda info: info.header_offset)
        names = sorted(info.filename for info in infos)
        check(names == ["events.ndjson", "manifest.json", "manifest.sig", "proof.ndjson"], "files")
        directory, at = archive.start_dir, 0
        for info, following in zip(infos, [*(i.header_offset for i in infos[1:]), directory]):
            check(info.header_offset == at, f"bytes from {at} on")
            header = struct.unpack_from("<4sHHHIIIIHH", data, at)
            signature, _, flags, method, _, crc, small, large, name, extra = header
            end = at + 30 + name + extra
            check(signature == b"PK\3\4", "header")
            check(data[at + 30 : at + 30 + name] == info.filename.encode(), "name in a header")
            check((flags, method) == (info.flag_bits, info.compress_type), "header")
            sizes = (info.CRC, info.compress_size, info.file_size)
            check((crc, small, large) == sizes or (flags & 8 and crc == small == large == 0), "header")
            check_extra(data[at + 30 + name : end])
            check_extra(info.extra)
            check(info.comment == b"", "comment")
            at = end + info.compress_size
            if flags & 8:
                check(data[at:following][-12:] == struct.pack("<III", *sizes), "descriptor")
                check(following - at in (12, 16), "descriptor")
                at = following
            # Also compares the checksum.
            (place / info.filename).write_bytes(archive.read(info))
        check(at == directory, f"bytes from {at} on")
        length = sum(len(info.filename.encode()) + len(info.extra) + 46 for info in infos)
        check(len(data) == directory + length + 22 and archive.comment == b"", "end")


source = pathlib.Path(sys.argv[1])
if source.is_dir():
    folder = source
else:
    unpacked = tempfile.TemporaryDirectory()
    folder = pathlib.Path(unpacked.name)
    unpack(source, folder)
manifest_bytes = (folder / "manifest.json").read_bytes()
manifest = json.loads(manifest_bytes)


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha256(data):
    return hashlib.sha256(data).digest()


def root_of(leaves):
    if len(leaves) == 1:
        return leaves[0]
    middle = 1
    while 2 * middle < len(leaves):
        middle *= 2
    return sha256(b"\x01" + root_of(leaves[:middle]) + root_of(leaves[middle:]))


def check_signature(signed):
    key = base64.b64decode(manifest["publicKey"])
    check(signed["keyId"] == sha256(key)[:8].hex(), "keyId")
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        der = bytes.fromhex("302a300506032b6570032100") + key
        (place / "key.der").write_bytes(der)
        (place / "text").write_bytes(signed["text"].encode())
        (place / "signature").write_bytes(base64.b64decode(signed["signature"]))
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-rawin"]
        command += ["-inkey", "key.der", "-in", "text", "-sigfile", "signature"]
        done = subprocess.run(command, cwd=place, capture_output=True)
    check(done.returncode == 0, "signature of " + signed["text"].splitlines()[0])


for file in manifest["files"]:
    data = (folder / file["name"]).read_bytes()
    check(len(data) == file["bytes"], file["name"])
    check(hashlib.sha256(data).hexdigest() == file["sha256"], file["name"])


def lines_of(name):
    # A text in a row may have other characters that Python takes for the end of a line.
    return (folder / name).read_bytes().decode().split("\n")[:-1]


def base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def aes(key, blocks):
    command = ["openssl", "enc", "-aes-256-ecb", "-nopad", "-K", key.hex()]
    return subprocess.run(command, input=blocks, capture_output=True, check=True).stdout


def ghash(key, data):
    h, y = int.from_bytes(key, "big"), 0
    for at in range(0, len(data), 16):
        x, v, z = y ^ int.from_bytes(data[at : at + 16], "big"), h, 0
        for bit in range(127, -1, -1):
            if x >> bit & 1:
                z ^= v
            v = v >> 1 ^ (0xE1 << 120 if v & 1 else 0)
        y = z
    return y.to_bytes(16, "big")


def padded(data):
    return data + bytes(-len(data) % 16)


def text_of(jwe, key):
    header, encrypted, iv, content, tag = jwe.split(".")
    kid = json.loads(base64url(header))["kid"]
    written = '{"alg":"dir","enc":"A256GCM","kid":"%s"}' % kid
    check(base64url(header) == written.encode() and encrypted == "", "the header of a text")
    check(base64url(kid)[16:] == sha256(base64url(key)), "the key of a text")
    iv, content, tag = base64url(iv), base64url(content), base64url(tag)
    count = (len(content) + 15) // 16
    counters = b"".join(iv + struct.pack(">I", 1 + n) for n in range(count + 1))
    stream = aes(base64url(key), bytes(16) + counters)
    lengths = struct.pack(">QQ", 8 * len(header), 8 * len(content))
    mac = ghash(stream[:16], padded(header.encode()) + padded(content) + lengths)
    check(bytes(a ^ b for a, b in zip(mac, stream[16:32])) == tag, "the key of a text")
    return bytes(a ^ b for a, b in zip(content, stream[32:])).decode()


def check_texts(row, revealed):
    proved = 0
    for path, text in revealed.items():
        place, _, name = path.partition(".")
        check(path == "sourceAddress" or place == "data", f"place of a text in row {row['sequence']}")
        ciphertext = row["data"][name] if place == "data" else row[path]
        if isinstance(text, dict):
            check(text_of(ciphertext, text["key"]) == text["text"], f"text of row {row['sequence']}")
            proved += 1
        elif text not in ("erased", "private"):
            keyless = base64url(ciphertext.split(".")[0]) == b'{"alg":"dir","enc":"A256GCM"}'
            check(keyless, f"text without a key in row {row['sequence']}")
    return proved


rows = [json.loads(line) for line in lines_of("events.ndjson")]
proof = [json.loads(line) for line in lines_of("proof.ndjson")]
leaves = []
texts = 0
for row, line in zip(rows, proof, strict=True):
    revealed = row.pop("revealed")
    leaf = sha256(b"\x00" + canonical(row).encode())
    check(line["row"] == row["sequence"], "order of rows")
    check(base64.b64decode(line["hash"]) == leaf, f"leaf of row {row['sequence']}")
    check(base64.b64decode(line["revealed"]) == sha256(canonical(revealed).encode()), "revealed")
    leaves.append(leaf)
    texts += check_texts(row, revealed)

signature = json.loads((folder / "manifest.sig").read_text())
check_signature(signature)
check(signature["text"].splitlines()[1] == hashlib.sha256(manifest_bytes).hexdigest(), "manifest")
checkpoint = manifest["checkpoint"]
check_signature(checkpoint)
kind, organization, size, root = checkpoint["text"].splitlines()
check(kind == "tallyhand audit log", "kind of the checkpoint")
check(organization == manifest["organization"]["id"], "organization")
check(int(size) == len(rows), "size")
check(base64.b64decode(root) == root_of(leaves), "root")

opening, closing = manifest["ledger"]["opening"], manifest["ledger"]["closing"]
head, links = "", 0
for row in rows:
    if row["stream"] != f"ledger-{organization}":
        continue
    envelope = {
        "schemaVersion": row["schemaVersion"],
        "organizationId": organization,
        "actor": {name: value for name, value in row["actor"].items() if value is not None},
        "correlationId": row["correlationId"],
        "causationId": row["causationId"],
        "commandId": row["commandId"],
        "recordedAt": row["at"],
    }
    if row["sourceAddress"] is not None:
        envelope["sourceAddress"] = row["sourceAddress"]
    event = {"id": row["eventId"], "type": row["type"], "data": row["data"]}
    text = canonical({**event, "envelope": envelope, "prev": head})
    head = hashlib.sha256(text.encode()).hexdigest()
    links += 1
check(opening["head"] is None, "opening balance")
check(closing["head"] == ({"sequence": links, "hash": head} if links else None), "ledger's chain")
print(f"{len(rows)} rows, {texts} plain texts and {links} links of the ledger are right.")
