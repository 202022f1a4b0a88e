import { useTranslation } from 'react-i18next'
import { phone } from '../ui/format'
import type { Channel } from './types'

/** useNumberName returns a function that names a number in a select and marks disconnected ones. */
export function useNumberName() {
  const { t } = useTranslation()
  return (channel: Channel) => {
    const number = channel.phone
      ? `${channel.name}, ${phone(channel.phone)}`
      : channel.name
    return channel.status === 'connected'
      ? number
      : t('new.disconnected', { number })
  }
}
