import { Button } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { announce } from '../../ui/announce'
import { RichText } from '../../ui/RichText'
import { Offered } from '../reception/Offered'
import { offerOf, replyTo, rowTitle, type SurveyDraft } from './surveyForm'
import classes from '../reception/Reception.module.css'

/** SurveyPreview shows what the customer receives. Choosing a rating shows what follows. */
export function SurveyPreview({ draft }: { draft: SurveyDraft }) {
  const { t } = useTranslation()
  const [rating, setRating] = useState<number | null>(null)
  const shown = useRef<HTMLDivElement>(null)
  const reply = rating === null ? null : replyTo(rating, draft)
  /** show shows what follows a rating. The button that was pressed is gone, so the focus moves. */
  const show = (next: number | null) => {
    setRating(next)
    shown.current?.focus()
    if (next !== null) announce(replyTo(next, draft).text)
  }
  useEffect(() => {
    if (rating !== null && shown.current)
      shown.current.scrollTop = shown.current.scrollHeight
  }, [rating])
  return (
    <section className={classes.trial} aria-label={t('surveys.preview')}>
      <header>
        <h2>{t('surveys.preview')}</h2>
        <p>{t('surveys.previewText')}</p>
      </header>
      {!draft.enabled && <p className={classes.hint}>{t('surveys.isOff')}</p>}
      <div
        ref={shown}
        className={classes.phone}
        role="log"
        aria-live="off"
        aria-label={t('surveys.sees')}
        tabIndex={0}
      >
        <Offered
          offer={offerOf(draft.question.trim() || '…')}
          waiting={false}
          onPress={rating === null ? (id) => show(Number(id)) : undefined}
        />
        {rating !== null && (
          <p className={classes.bubble} data-side="customer">
            {rowTitle(rating)}
          </p>
        )}
        {reply?.text && (
          <p className={classes.bubble}>
            <RichText text={reply.text} />
          </p>
        )}
        {reply?.asks && (
          <p className={classes.outcome}>{t('surveys.comment')}</p>
        )}
      </div>
      {rating !== null && (
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          onClick={() => show(null)}
        >
          {t('surveys.again')}
        </Button>
      )}
    </section>
  )
}
