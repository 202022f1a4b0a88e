import { useTranslation } from 'react-i18next'
import { useMe } from '../api/queries'
import { Appearance } from './Appearance'
import { Devices } from './Devices'
import { Notices } from './Notices'
import { Password } from './Password'
import { Person } from './Person'
import { Sessions } from './Sessions'
import { TwoFactor } from './TwoFactor'
import { Working } from './Working'
import { Page } from '../ui/Layout'

/** Profile is the page of the user's own settings. */
export default function Profile() {
  const { t } = useTranslation()
  const { user, company } = useMe()
  return (
    <Page
      title={t('shell.profile')}
      text={t('profile.where', {
        role: t(`profile.role.${user.role}`),
        company: company.name,
      })}
    >
      <Person />
      <Appearance />
      <Working />
      <Notices />
      <Devices />
      <Password />
      <TwoFactor />
      <Sessions />
    </Page>
  )
}
