import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { Entrance } from './Entrance'
import { LanguageSelect } from './LanguageSelect'
import { SignInForm } from './SignInForm'
import classes from './people.module.css'

/** SignIn is the sign-in page. */
export function SignIn() {
  const { t } = useTranslation()
  const setup = useQuery({
    queryKey: keys.setup,
    queryFn: () => unwrap(api.GET('/setup')),
  })
  return (
    <Entrance
      title={t('signIn.title')}
      text={setup.data?.needed ? t('setup.needed') : t('signIn.text')}
    >
      <div className={classes.panel}>
        <SignInForm demo={setup.data?.demo} />
        {!setup.data?.demo && (
          <p className={classes.hint}>{t('signIn.forgot')}</p>
        )}
      </div>
      <LanguageSelect />
    </Entrance>
  )
}
