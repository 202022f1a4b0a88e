import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { InteractiveBody } from '../../api/types'
import { Dialog } from '../../ui/Dialog'
import { usePhone } from '../../ui/usePhone'
import { Offer } from '../../ui/Offer'
import { countOf, limits, type Frame } from './offerForm'
import { submitWithControl } from './submitWithControl'
import classes from '../thread/Offer.module.css'

type CountedProps = {
  label: string
  value: string
  most: number
  onChange: (value: string) => void
  error?: string | false
  required?: boolean
  autoFocus?: boolean
  long?: boolean
}

/** Counted is a field with a character counter. */
export function Counted({
  label,
  value,
  most,
  onChange,
  error,
  required = false,
  autoFocus = false,
  long = false,
}: CountedProps) {
  const { t } = useTranslation()
  const n = countOf(value)
  const props = {
    label: (
      <>
        {label}{' '}
        <span
          className={classes.count}
          data-over={n > most || undefined}
          aria-hidden
        >
          {n}/{most}
        </span>
      </>
    ),
    'aria-label': label,
    value,
    required,
    withAsterisk: false,
    autoFocus,
    error: n > most ? t('offer.tooLong', { most }) : error,
  }
  return long ? (
    <Textarea
      {...props}
      data-autofocus
      autosize
      minRows={2}
      maxRows={8}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  ) : (
    <TextInput
      {...props}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

type Props = {
  title: string
  most: number
  frame: Frame
  onFrame: (change: Partial<Frame>) => void
  offer: InteractiveBody
  fits: boolean
  children: ReactNode
  onSend: (offer: InteractiveBody) => void
  onClose: () => void
}

/** OfferFrame is the dialog for a message with buttons or a list: its text, its children and a preview. */
export function OfferFrame({
  title,
  most,
  frame,
  onFrame,
  offer,
  fits,
  children,
  onSend,
  onClose,
}: Props) {
  const { t } = useTranslation()
  const phone = usePhone()
  return (
    <Dialog title={title} onClose={onClose} size={780} fullScreen={phone}>
      <form
        onKeyDown={submitWithControl}
        onSubmit={(event) => {
          event.preventDefault()
          if (fits) onSend(offer)
        }}
      >
        <div className={classes.dialog}>
          <Stack gap="sm">
            <Counted
              long
              label={t('offer.body')}
              most={most}
              required
              value={frame.body}
              onChange={(body) => onFrame({ body })}
            />
            <Counted
              label={t('offer.header')}
              most={limits.line}
              value={frame.header}
              onChange={(header) => onFrame({ header })}
            />
            <Counted
              label={t('offer.footer')}
              most={limits.line}
              value={frame.footer}
              onChange={(footer) => onFrame({ footer })}
            />
            {children}
          </Stack>
          <section
            className={classes.preview}
            aria-label={t('template.preview')}
          >
            <p aria-hidden>{t('template.preview')}</p>
            <div className={classes.phone}>
              <Offer offer={offer} />
            </div>
          </section>
        </div>
        <Group justify="flex-end" gap="xs" mt="md">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" disabled={!fits}>
            {t('composer.send')}
          </Button>
        </Group>
      </form>
    </Dialog>
  )
}
