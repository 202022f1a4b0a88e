/** WhatsApp takes voice messages as Opus in Ogg; browsers record Opus in WebM. The frames are put into the other container as they are. */

type Element = { id: number; start: number; end: number }

const ids = { segment: 0x18538067, cluster: 0x1f43b675, tracks: 0x1654ae6b, trackEntry: 0xae, codecPrivate: 0x63a2, simpleBlock: 0xa3, blockGroup: 0xa0, block: 0xa1 }
const parents = new Set([ids.segment, ids.cluster, ids.tracks, ids.trackEntry, ids.blockGroup])

/** lengthOf is how many bytes a variable-length number has, by its first byte. */
const lengthOf = (first: number) => Math.clz32(first) - 23

/** elements walks through the elements of a WebM file, into those that hold others. */
function* elements(bytes: Uint8Array, from = 0, to = bytes.length): Generator<Element> {
  for (let at = from; at < to; ) {
    const idLength = lengthOf(bytes[at] ?? 0)
    const id = bytes.subarray(at, at + idLength).reduce((value, byte) => value * 256 + byte, 0)
    at += idLength
    const sizeLength = lengthOf(bytes[at] ?? 0)
    if (idLength > 4 || sizeLength > 8 || at >= to) return
    const marked = bytes.subarray(at, at + sizeLength)
    const unknown = marked.every((byte, index) => byte === (index === 0 ? 0xff >> (sizeLength - 1) : 0xff))
    const size = marked.reduce((value, byte, index) => value * 256 + (index === 0 ? byte & (0xff >> sizeLength) : byte), 0)
    at += sizeLength
    const end = unknown ? to : Math.min(to, at + size)
    if (parents.has(id)) yield* elements(bytes, at, end)
    else yield { id, start: at, end }
    // A cluster without a size ends where its last element does; its own walk has seen the rest.
    at = end
  }
}

/** samplesOf is how long an Opus packet is, in samples of 48 kHz (RFC 6716, 3.1). */
export function samplesOf(packet: Uint8Array): number {
  const toc = packet[0] ?? 0
  const config = toc >> 3
  const frame = config < 12 ? [480, 960, 1920, 2880][config % 4] : config < 16 ? [480, 960][config % 2] : [120, 240, 480, 960][config % 4]
  const count = [1, 2, 2, (packet[1] ?? 0) & 63][toc & 3]
  return (frame ?? 0) * (count ?? 1)
}

const checksums = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n << 24
  for (let bit = 0; bit < 8; bit++) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1
  return value >>> 0
})

/** page is an Ogg page with one packet (RFC 3533, 6). */
function page(packet: Uint8Array, granule: number, number: number, flags: number): Uint8Array<ArrayBuffer> {
  const segments = Math.floor(packet.length / 255) + 1
  const bytes = new Uint8Array(27 + segments + packet.length)
  const view = new DataView(bytes.buffer)
  bytes.set([0x4f, 0x67, 0x67, 0x53, 0, flags])
  view.setBigUint64(6, BigInt(granule), true)
  view.setUint32(14, 1, true)
  view.setUint32(18, number, true)
  bytes[26] = segments
  bytes.fill(255, 27, 26 + segments)
  bytes[26 + segments] = packet.length % 255
  bytes.set(packet, 27 + segments)
  const sum = bytes.reduce((value, byte) => ((value << 8) ^ (checksums[((value >>> 24) ^ byte) & 255] ?? 0)) >>> 0, 0)
  view.setUint32(22, sum, true)
  return bytes
}

/** toOgg puts the Opus packets of a WebM recording into an Ogg file; null where the file is no such recording. */
export function toOgg(webm: Uint8Array): Uint8Array<ArrayBuffer>[] | null {
  let head: Uint8Array | null = null
  const packets: Uint8Array[] = []
  for (const { id, start, end } of elements(webm)) {
    if (id === ids.codecPrivate) head = webm.subarray(start, end)
    // A block begins with its track, two bytes of time and one of flags.
    if (id === ids.simpleBlock || id === ids.block) packets.push(webm.subarray(start + lengthOf(webm[start] ?? 0) + 3, end))
  }
  if (!head || packets.length === 0 || new TextDecoder().decode(head.subarray(0, 8)) !== 'OpusHead') return null
  const tags = new Uint8Array([...new TextEncoder().encode('OpusTags'), 6, 0, 0, 0, ...new TextEncoder().encode('Recado'), 0, 0, 0, 0])
  const pages = [page(head, 0, 0, 2), page(tags, 0, 1, 0)]
  let granule = 0
  for (const [index, packet] of packets.entries()) {
    granule += samplesOf(packet)
    pages.push(page(packet, granule, index + 2, index === packets.length - 1 ? 4 : 0))
  }
  return pages
}

/** voiceFile makes a recording what WhatsApp takes. */
export async function voiceFile(recorded: Blob): Promise<Blob> {
  if (!recorded.type.includes('webm')) return recorded
  const pages = toOgg(new Uint8Array(await recorded.arrayBuffer()))
  return pages ? new Blob(pages, { type: 'audio/ogg' }) : recorded
}
