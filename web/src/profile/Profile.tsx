import { useTranslation } from 'react-i18next'
import { useMe } from '../api/queries'
import { Appearance } from './Appearance'
import { Notices } from './Notices'
import { Password } from './Password'
import { Person } from './Person'
import { Sessions } from './Sessions'
import { TwoFactor } from './TwoFactor'
import { Working } from './Working'
import classes from '../ui/page.module.css'

/** Profile is what a person decides about themselves. */
export default function Profile() {
  const { t } = useTranslation()
  const { user, company } = useMe()
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <div>
          <h1>{t('shell.profile')}</h1>
          <p>{t('profile.where', { role: t(`profile.role.${user.role}`), company: company.name })}</p>
        </div>
      </header>
      <Person />
      <Appearance />
      <Working />
      <Notices />
      <Password />
      <TwoFactor />
      <Sessions />
    </div>
  )
}
