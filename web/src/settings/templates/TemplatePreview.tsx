import {
  IconArrowBackUp,
  IconExternalLink,
  IconFileText,
  IconPhone,
  IconPhoto,
  IconVideo,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { clock } from '../../ui/format'
import { Offer } from '../../ui/Offer'
import type { Shown } from './templateForm'
import classes from './Templates.module.css'

const files = { image: IconPhoto, video: IconVideo, document: IconFileText }

/** iconOf returns WhatsApp's icon of a button. */
function iconOf(type: string): ReactNode {
  if (type === 'url') return <IconExternalLink size={16} aria-hidden />
  if (type === 'phone' || type === 'phone_number')
    return <IconPhone size={16} aria-hidden />
  return <IconArrowBackUp size={16} aria-hidden />
}

/** TemplatePreview is the WhatsApp bubble of a template. image is the address of its header's sample. */
export function TemplatePreview({
  shown,
  image,
}: {
  shown: Shown
  image?: string | null
}) {
  const { t } = useTranslation()
  const File = shown.file && files[shown.file]
  return (
    <div className={classes.screen}>
      <div className={classes.bubble}>
        {image && <img className={classes.image} src={image} alt="" />}
        {File && !image && (
          <p className={classes.file}>
            <File size={32} stroke={1.4} aria-hidden />
            {t(`templates.header.${shown.file ?? 'image'}`)}
          </p>
        )}
        <Offer
          meta={
            <span className={classes.time} aria-hidden>
              {clock(new Date().toISOString())}
            </span>
          }
          offer={{
            header: shown.header,
            body: shown.body || t('templates.emptyBody'),
            footer: shown.footer,
            buttons: shown.buttons
              .filter((button) => button.text.trim())
              .map(({ key, type, text }) => ({
                id: key,
                title: text,
                icon: iconOf(type),
              })),
          }}
        />
      </div>
    </div>
  )
}
