import type { TFunction } from 'i18next'
import { reasonText, type Coded } from '../api/codes'

/** channelText says in the person's language what is wrong with a number. */
export const channelText = ({ code, params, message }: Coded, t: TFunction) =>
  reasonText(code, params, t) || message
