// Shrinks a screenshot to a palette of 256 colours with the best zlib compression. Apart from photos, pages have few colours.
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])

/** chunks returns the chunks of a PNG file by name. Chunks with the same name are joined. */
function chunks(file) {
  const found = new Map()
  for (let at = 8; at < file.length;) {
    const size = file.readUInt32BE(at)
    const name = file.toString('latin1', at + 4, at + 8)
    found.set(
      name,
      Buffer.concat([
        found.get(name) ?? Buffer.alloc(0),
        file.subarray(at + 8, at + 8 + size),
      ]),
    )
    at += size + 12
  }
  return found
}

const paeth = (a, b, c) => {
  const [pa, pb, pc] = [
    Math.abs(b - c),
    Math.abs(a - c),
    Math.abs(a + b - 2 * c),
  ]
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c
}

/** pixels decodes a PNG with 8 bits per channel. It returns the size, and each pixel as a number, 0xrrggbb. */
function pixels(file) {
  const parts = chunks(file)
  const head = parts.get('IHDR')
  const [width, height, step] = [
    head.readUInt32BE(0),
    head.readUInt32BE(4),
    head[9] === 6 ? 4 : 3,
  ]
  if (head[8] !== 8 || (head[9] !== 2 && head[9] !== 6) || head[12] !== 0)
    throw new Error('this PNG format is not supported')
  const raw = inflateSync(parts.get('IDAT'))
  const line = width * step
  const out = new Uint32Array(width * height)
  let above = Buffer.alloc(line)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (line + 1)]
    const row = raw.subarray(y * (line + 1) + 1, (y + 1) * (line + 1))
    for (let x = 0; x < line; x++) {
      const left = x < step ? 0 : row[x - step]
      const corner = x < step ? 0 : above[x - step]
      row[x] += [
        0,
        left,
        above[x],
        (left + above[x]) >> 1,
        paeth(left, above[x], corner),
      ][filter]
    }
    for (let x = 0; x < width; x++)
      out[y * width + x] =
        (row[x * step] << 16) | (row[x * step + 1] << 8) | row[x * step + 2]
    above = row
  }
  return { width, height, out }
}

const channels = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]

/** mean returns the average of colours, weighted by frequency. */
function mean(box) {
  const sum = [0, 0, 0, 0]
  for (const [colour, count] of box) {
    channels(colour).forEach((value, index) => (sum[index] += value * count))
    sum[3] += count
  }
  return (
    (Math.round(sum[0] / sum[3]) << 16) |
    (Math.round(sum[1] / sum[3]) << 8) |
    Math.round(sum[2] / sum[3])
  )
}

/** palette returns 256 colours: the 128 most frequent ones, and the averages of 128 groups of the others. */
function palette(counts) {
  const sorted = [...counts].sort((a, b) => b[1] - a[1])
  if (sorted.length <= 256) return sorted.map(([colour]) => colour)
  const boxes = [sorted.slice(128)]
  const width = (box, index) =>
    Math.max(...box.map(([colour]) => channels(colour)[index])) -
    Math.min(...box.map(([colour]) => channels(colour)[index]))
  const spread = (box) =>
    Math.max(...[0, 1, 2].map((index) => width(box, index)))
  const spreads = boxes.map(spread)
  while (boxes.length < 128) {
    const at = spreads.indexOf(Math.max(...spreads))
    const box = boxes[at]
    if (box.length < 2) break
    const widest = [0, 1, 2].reduce(
      (best, index) => (width(box, index) > width(box, best) ? index : best),
      0,
    )
    box.sort((a, b) => channels(a[0])[widest] - channels(b[0])[widest])
    const halves = [box.slice(0, box.length >> 1), box.slice(box.length >> 1)]
    boxes.splice(at, 1, ...halves)
    spreads.splice(at, 1, ...halves.map(spread))
  }
  return [...sorted.slice(0, 128).map(([colour]) => colour), ...boxes.map(mean)]
}

/** nearest returns the index of the closest colour in the palette. */
function nearest(colour, colours) {
  const [r, g, b] = channels(colour)
  let [best, least] = [0, Infinity]
  for (const [index, one] of colours.entries()) {
    const [r2, g2, b2] = channels(one)
    const far = 3 * (r - r2) ** 2 + 6 * (g - g2) ** 2 + (b - b2) ** 2
    if (far < least) [best, least] = [index, far]
  }
  return best
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), body.length + 4)
  return out
}

/** smallPng returns a smaller encoding of a screenshot. */
export function smallPng(file) {
  const { width, height, out } = pixels(file)
  const counts = new Map()
  for (const colour of out) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const colours = palette(counts)
  const places = new Map(
    [...counts.keys()].map((colour) => [colour, nearest(colour, colours)]),
  )
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows[y * (width + 1) + x + 1] = places.get(out[y * width + x])
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8)
  const packed = deflateSync(rows, { level: 9, memLevel: 9 })
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(colours.flatMap(channels))),
    chunk('IDAT', packed),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
