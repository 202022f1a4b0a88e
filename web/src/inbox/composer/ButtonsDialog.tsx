import { Button, CloseButton } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InteractiveBody } from '../../api/types'
import {
  buttonsFit,
  buttonsOffer,
  limits,
  newButton,
  repeated,
  type ButtonsForm,
} from './offerForm'
import { Counted, OfferFrame } from './OfferFrame'
import classes from '../thread/Offer.module.css'

/** ButtonsDialog composes a message with up to three buttons. */
export function ButtonsDialog({
  text,
  onSend,
  onClose,
}: {
  text: string
  onSend: (offer: InteractiveBody) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [form, setForm] = useState<ButtonsForm>(() => ({
    body: text,
    header: '',
    footer: '',
    buttons: [newButton()],
  }))
  const [added, setAdded] = useState('')
  const { buttons } = form
  const set = (next: ButtonsForm['buttons']) =>
    setForm((all) => ({ ...all, buttons: next }))
  const add = () => {
    const button = newButton()
    setAdded(button.id)
    set([...buttons, button])
  }
  return (
    <OfferFrame
      title={t('composer.buttons')}
      most={limits.buttonBody}
      frame={form}
      onFrame={(change) => setForm((all) => ({ ...all, ...change }))}
      offer={buttonsOffer(form)}
      fits={buttonsFit(form)}
      onSend={onSend}
      onClose={onClose}
    >
      {buttons.map((button, at) => (
        <div key={button.id} className={classes.pair}>
          <Counted
            label={t('offer.button', { n: at + 1 })}
            most={limits.button}
            required
            autoFocus={button.id === added}
            value={button.title}
            error={
              repeated(
                buttons.map((one) => one.title),
                at,
              ) && t('offer.sameButton')
            }
            onChange={(title) =>
              set(
                buttons.map((one) =>
                  one.id === button.id ? { ...one, title } : one,
                ),
              )
            }
          />
          {buttons.length > 1 && (
            <CloseButton
              size="lg"
              aria-label={t('offer.removeButton', { n: at + 1 })}
              onClick={() => set(buttons.filter((one) => one.id !== button.id))}
            />
          )}
        </div>
      ))}
      {buttons.length < limits.buttons && (
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          onClick={add}
        >
          {t('offer.addButton')}
        </Button>
      )}
    </OfferFrame>
  )
}
