import { IconList } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { MessageText } from './RichText'
import classes from './Offer.module.css'

/** OfferContent is a message with buttons or a list. */
export type OfferContent = {
  header?: string | null
  body: string
  footer?: string | null
  buttons?: { id: string; title: string; icon?: ReactNode }[] | null
  list?: {
    button: string
    sections: {
      title?: string | null
      rows: { id: string; title: string; description?: string | null }[]
    }[]
  } | null
}

/** Offer shows a message with buttons or an open list as the customer sees it. meta is shown above the buttons. */
export function Offer({
  offer,
  meta,
}: {
  offer: OfferContent
  meta?: ReactNode
}) {
  const { t } = useTranslation()
  const { header, body, footer, buttons, list } = offer
  return (
    <div className={classes.offer}>
      {header && <p className={classes.header}>{header}</p>}
      <div className={classes.body}>
        <MessageText text={body} />
      </div>
      {footer && <p className={classes.footer}>{footer}</p>}
      {meta}
      {buttons && buttons.length > 0 && (
        <ul className={classes.buttons} aria-label={t('composer.buttons')}>
          {buttons.map((button) => (
            <li key={button.id}>
              {button.icon}
              {button.title}
            </li>
          ))}
        </ul>
      )}
      {list && (
        <div className={classes.list}>
          <p className={classes.open}>
            <IconList size={16} /> {list.button}
          </p>
          {list.sections.map((section, at) => (
            <div key={at}>
              {section.title && (
                <p className={classes.section}>{section.title}</p>
              )}
              <ul aria-label={section.title ?? t('composer.list')}>
                {section.rows.map((row) => (
                  <li key={row.id}>
                    {row.title}
                    {row.description && <small>{row.description}</small>}
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
