import 'i18next'
import type base from './en.json'
import type audit from './audit/en.json'
import type boards from './boards/en.json'
import type cases from './cases/en.json'
import type composer from './composer/en.json'
import type contacts from './contacts/en.json'
import type costs from './costs/en.json'
import type data from './data/en.json'
import type hours from './hours/en.json'
import type imports from './imports/en.json'
import type integrations from './integrations/en.json'
import type jobs from './jobs/en.json'
import type levels from './levels/en.json'
import type persons from './persons/en.json'
import type profile from './profile/en.json'
import type reception from './reception/en.json'
import type report from './report/en.json'
import type settings from './settings/en.json'
import type talk from './talk/en.json'
import type templates from './templates/en.json'

declare module 'i18next' {
  /** CustomTypeOptions makes t() accept only keys of the English catalogue. */
  interface CustomTypeOptions {
    resources: {
      translation: typeof base &
        typeof audit &
        typeof boards &
        typeof cases &
        typeof composer &
        typeof contacts &
        typeof costs &
        typeof data &
        typeof hours &
        typeof imports &
        typeof integrations &
        typeof jobs &
        typeof levels &
        typeof persons &
        typeof profile &
        typeof reception &
        typeof report &
        typeof settings &
        typeof talk &
        typeof templates
    }
  }
}
