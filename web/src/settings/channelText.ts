import type { TFunction } from 'i18next'
import { reasonText, type Coded } from '../api/codes'
import type { Channel } from '../api/types'
import { dateAndTime, phone } from '../ui/format'

/** channelText returns what is wrong with a number, in the user's language. */
export function channelText(
  { code, params, message }: Coded,
  t: TFunction,
): string {
  const text = reasonText(code, params, t) || message
  const until = params.expires_at
  return typeof until === 'string'
    ? `${text} ${t('channelText.until', { time: dateAndTime(until) })}`
    : text
}

/** numberLine returns the phone number and the provider of a channel. A number that was never linked is not known. */
export const numberLine = (channel: Channel, t: TFunction) =>
  [phone(channel.phone), t(`channels.${channel.provider}`)]
    .filter(Boolean)
    .join(' · ')
