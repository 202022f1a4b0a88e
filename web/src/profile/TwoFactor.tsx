import { Badge, Button } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../api/queries'
import { Section } from '../ui/Layout'
import { TurnOff } from './TurnOff'
import { TurnOn } from './TurnOn'

/** TwoFactor turns two-factor sign-in on and off. */
export function TwoFactor() {
  const { t } = useTranslation()
  const { user } = useMe()
  const [open, setOpen] = useState<'on' | 'off' | null>(null)
  const close = () => setOpen(null)
  return (
    <Section
      title={t('twoFactor.title')}
      text={t('twoFactor.text')}
      action={
        user.two_factor && (
          <Badge variant="light" color="green" tt="none">
            {t('twoFactor.active')}
          </Badge>
        )
      }
    >
      {user.two_factor ? (
        <Button variant="default" onClick={() => setOpen('off')}>
          {t('twoFactor.turnOff')}
        </Button>
      ) : (
        <Button variant="default" onClick={() => setOpen('on')}>
          {t('twoFactor.turnOn')}
        </Button>
      )}
      {open === 'on' && <TurnOn onClose={close} />}
      {open === 'off' && <TurnOff onClose={close} />}
    </Section>
  )
}
