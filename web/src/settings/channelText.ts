import type { TFunction } from 'i18next'
import { reasonText, type Coded } from '../api/codes'

/** channelText returns what is wrong with a number, in the user's language. */
export const channelText = ({ code, params, message }: Coded, t: TFunction) =>
  reasonText(code, params, t) || message
