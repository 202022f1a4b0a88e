import {
  IconBrandWhatsapp,
  IconChevronRight,
  IconFlask,
  IconQrcode,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Section } from '../ui/Layout'
import rows from '../ui/rows.module.css'
import classes from './Settings.module.css'

/** NumberChoices lists the ways to add a number: by QR code, through the WhatsApp Business Platform, or a test number. */
export function NumberChoices({
  busy,
  onTest,
}: {
  busy: boolean
  onTest: () => void
}) {
  const { t } = useTranslation()
  return (
    <Section title={t('channels.addTitle')} text={t('channels.addText')}>
      <ul className={rows.rows}>
        <li>
          <Link
            to="/settings/$"
            params={{ _splat: 'channels/link' }}
            className={rows.row}
          >
            <Choice
              icon={<IconQrcode size={20} />}
              title={t('channels.byCode')}
              text={t('channels.byCodeText')}
            />
          </Link>
        </li>
        <li>
          <Link
            to="/settings/$"
            params={{ _splat: 'channels/connect' }}
            className={rows.row}
          >
            <Choice
              icon={<IconBrandWhatsapp size={20} />}
              title={t('channels.connect')}
              text={t('channels.connectText')}
            />
          </Link>
        </li>
        <li>
          <button
            type="button"
            className={`${rows.row} ${classes.choice}`}
            disabled={busy}
            onClick={onTest}
          >
            <Choice
              icon={<IconFlask size={20} />}
              title={t('channels.add')}
              text={t('channels.addTestText')}
            />
          </button>
        </li>
      </ul>
    </Section>
  )
}

function Choice({
  icon,
  title,
  text,
}: {
  icon: ReactNode
  title: string
  text: string
}) {
  return (
    <>
      <span className={classes.icon} aria-hidden>
        {icon}
      </span>
      <span className={rows.main}>
        <strong>{title}</strong>
        <span>{text}</span>
      </span>
      <IconChevronRight size={18} aria-hidden />
    </>
  )
}
