/** Location is a shared place. */
export type Location = {
  name: string
  address: string
  /** Latitude and longitude as the customer's phone sent them. */
  point: string | null
}

const point = /\(?(-?\d{1,3}(?:\.\d+)?), (-?\d{1,3}(?:\.\d+)?)\)?$/

/** parseLocation reads the text of a location message: "Name, address (latitude, longitude)". Each part may be missing. */
export function parseLocation(text: string): Location {
  const found = point.exec(text)
  const whole = (found ? text.slice(0, found.index) : text).trim()
  const [name = '', ...address] = whole.split(', ')
  return {
    name,
    address: address.join(', '),
    point: found ? `${found[1]},${found[2]}` : null,
  }
}

/** mapAddress returns the link to a place on a map. */
export function mapAddress({ name, address, point }: Location): string {
  const query = point ?? [name, address].filter(Boolean).join(', ')
  return `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(query)}`
}

/** SharedContact is a contact card that was sent as a message. */
export type SharedContact = { name: string; phones: string[]; more: string }

const phone = /^\+?[\d\s().-]{8,24}$/

/** parseContacts reads the text of a contacts message: a line "Name: phone, e-mail, company" for each card. */
export function parseContacts(text: string): SharedContact[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.indexOf(': ')
      const alone = at < 0 && phone.test(line.trim())
      const name = at < 0 ? (alone ? '' : line.trim()) : line.slice(0, at)
      const details =
        at < 0 ? (alone ? [line.trim()] : []) : line.slice(at + 2).split(', ')
      return {
        name,
        phones: details.filter((one) => phone.test(one)),
        more: details.filter((one) => !phone.test(one)).join(', '),
      }
    })
}

/** webAddress returns a URL if it is http or https, otherwise null. */
export function webAddress(text: string | null): string | null {
  const url = text && URL.canParse(text) ? new URL(text) : null
  return url && /^https?:$/.test(url.protocol) ? url.href : null
}
