import { useTranslation } from 'react-i18next'
import type { Form } from '../../api/types'
import { RichText } from '../../ui/RichText'
import classes from './FormAnswers.module.css'

/** FormAnswers shows the answers of a form. */
export function FormAnswers({ form }: { form: Form }) {
  const { t } = useTranslation()
  return (
    <dl className={classes.form} aria-label={t('form.title')}>
      {form.fields.map((field, index) => (
        <div key={index}>
          <dt>{field.label || t('form.answer')}</dt>
          <dd>
            <RichText text={field.value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
