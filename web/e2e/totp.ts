import { createHmac } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** totp returns the current TOTP code of a secret (RFC 6238). */
export function totp(secret: string, at: number = Date.now()): string {
  const bits = [...secret.replace(/[\s=]/g, '')]
    .map((letter) =>
      alphabet.indexOf(letter.toUpperCase()).toString(2).padStart(5, '0'),
    )
    .join('')
  const key = Buffer.from(
    (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)),
  )
  const step = Buffer.alloc(8)
  step.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
  const hash = createHmac('sha1', key).update(step).digest()
  const place = (hash[19] ?? 0) & 15
  return String((hash.readUInt32BE(place) & 0x7fffffff) % 1_000_000).padStart(
    6,
    '0',
  )
}
