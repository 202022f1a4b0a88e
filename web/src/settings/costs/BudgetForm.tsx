import { Alert, NumberInput, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import type { Budget } from '../../api/types'
import { useSubmit } from '../../api/useSubmit'
import { BudgetBar } from '../../ui/BudgetBar'
import { FormFooter } from '../../ui/FormFooter'
import { dayKey } from '../../ui/format'
import { SectionForm } from '../../ui/Layout'
import { money } from '../../ui/money'
import type { Typed } from './prices'
import { nextMonth } from './nextMonth'
import { decimalPoint, thousands } from './typed'
import classes from './Costs.module.css'

type Draft = { monthly: Typed; warn: Typed }

const draftOf = (budget: Budget): Draft => ({
  monthly: budget.monthly_amount ?? '',
  warn: budget.warn_percent,
})

/** BudgetForm edits the monthly budget and shows how much of it is spent. */
export function BudgetForm({
  budget,
  onChanged,
}: {
  budget: Budget
  onChanged: (changed: boolean) => void
}) {
  const { t, i18n } = useTranslation()
  const client = useQueryClient()
  const { currency } = budget
  const [edited, setEdited] = useState<Partial<Draft>>({})
  const loaded = draftOf(budget)
  const draft = { ...loaded, ...edited }
  const changed = draft.monthly !== loaded.monthly || draft.warn !== loaded.warn
  const { busy, done, problem, wrong, run, touch } = useSubmit({
    fields: ['monthly_amount', 'warn_percent'],
  })
  useEffect(() => onChanged(changed), [changed, onChanged])
  const change = (part: Partial<Draft>) => {
    touch()
    setEdited({ ...edited, ...part })
  }
  const submit = () =>
    void run(async () => {
      const stored = await unwrap(
        api.PATCH('/company/budget', {
          body: {
            monthly_amount: draft.monthly === '' ? null : Number(draft.monthly),
            ...(draft.warn === '' ? {} : { warn_percent: Number(draft.warn) }),
          },
        }),
      )
      client.setQueryData(keys.budget, stored)
      setEdited({})
    })
  return (
    <SectionForm
      title={t('costs.budget')}
      text={t('costs.budgetText')}
      onSubmit={submit}
    >
      <Stack gap="md">
        {currency &&
          (budget.monthly_amount === null ? (
            <p className={classes.spent}>
              {t('costs.spent')}{' '}
              <strong>{money(budget.spent, currency)}</strong>
            </p>
          ) : (
            <BudgetBar
              currency={currency}
              spent={budget.spent}
              amount={budget.monthly_amount}
              warnAt={budget.warn_percent}
              reached={budget.reached}
            />
          ))}
        {budget.reached && (
          <Alert color="yellow" variant="light" role="status">
            {t('costs.reached', { date: nextMonth(dayKey(new Date())) })}
          </Alert>
        )}
        <div className={classes.pair}>
          <NumberInput
            label={t('costs.monthly')}
            description={t('costs.monthlyText')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            min={0}
            decimalScale={6}
            decimalSeparator={decimalPoint(i18n.language)}
            thousandSeparator={thousands(i18n.language)}
            allowedDecimalSeparators={['.', ',']}
            allowNegative={false}
            hideControls
            inputMode="decimal"
            leftSection={currency}
            leftSectionWidth={currency ? 52 : undefined}
            value={draft.monthly}
            error={wrong.monthly_amount}
            onChange={(monthly) => change({ monthly })}
          />
          <NumberInput
            label={t('costs.warn')}
            description={t('costs.warnText')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            suffix=" %"
            min={1}
            max={100}
            allowDecimal={false}
            allowNegative={false}
            value={draft.warn}
            error={wrong.warn_percent}
            onChange={(warn) => change({ warn })}
          />
        </div>
        <FormFooter
          busy={busy}
          saved={done && !changed}
          problem={problem}
          submit={t('common.save')}
          disabled={!changed}
        >
          {changed && (
            <span className={classes.changed}>{t('reception.changed')}</span>
          )}
        </FormFooter>
      </Stack>
    </SectionForm>
  )
}
