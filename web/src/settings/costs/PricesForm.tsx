import { Button, NativeSelect, NumberInput, Stack } from '@mantine/core'
import { IconExternalLink, IconPlus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import type { Rates } from '../../api/types'
import { useSubmit } from '../../api/useSubmit'
import { FormFooter } from '../../ui/FormFooter'
import { dayKey } from '../../ui/format'
import { SectionForm } from '../../ui/Layout'
import { countryOptions, currencyOptions } from './countries'
import { PriceRow, type PriceProblems } from './PriceRow'
import {
  bodyOf,
  draftOf,
  missingOf,
  nextPrice,
  same,
  type PriceDraft,
  type PricesDraft,
} from './prices'
import { decimalPoint } from './typed'
import rows from '../../ui/rows.module.css'
import classes from './Costs.module.css'

const priceFields = ['country', 'category', 'amount', 'from'] as const

/** PricesForm edits the prices of messages. They are stored all at once. */
export function PricesForm({
  stored,
  onChanged,
}: {
  stored: Rates
  onChanged: (changed: boolean) => void
}) {
  const { t, i18n } = useTranslation()
  const client = useQueryClient()
  const loaded = useMemo(
    () => draftOf(stored, i18n.language),
    [stored, i18n.language],
  )
  const [edited, setEdited] = useState<PricesDraft | null>(null)
  const draft = edited ?? loaded
  const { prices } = draft
  const changed = edited !== null && !same(edited, loaded)
  const [sent, setSent] = useState<string[]>([]) // the keys of the prices, in the order in which they were sent
  const [checked, setChecked] = useState(false)
  const [added, setAdded] = useState('')
  const { busy, done, problem, wrong, run, touch } = useSubmit({
    fields: [
      'currency',
      'free_service_per_month',
      ...prices.flatMap((_, index) => [
        `rates[${index}]`,
        ...priceFields.map((field) => `rates[${index}].${field}`),
      ]),
    ],
  })
  useEffect(() => onChanged(changed), [changed, onChanged])
  const countries = useMemo(
    () => countryOptions(i18n.language),
    [i18n.language],
  )
  const add = useRef<HTMLButtonElement>(null)
  const missing = checked ? missingOf(prices) : new Map<string, never>()
  const change = (part: Partial<PricesDraft>) => {
    touch()
    setEdited({ ...draft, ...part })
  }
  const changePrice = (key: string, part: Partial<PriceDraft>) =>
    change({
      prices: prices.map((one) =>
        one.key === key ? { ...one, ...part } : one,
      ),
    })
  const problemsOf = (key: string): PriceProblems => {
    const local = missing.get(key)
    const name = `rates[${sent.indexOf(key)}]`
    const text = (field: (typeof priceFields)[number]) =>
      wrong[`${name}.${field}`]
    return {
      country: text('country'),
      category: text('category'),
      amount: local?.amount ? t('wrong.required') : text('amount'),
      from: local?.from
        ? t(local.from === 'twice' ? 'costs.twice' : 'wrong.required')
        : (text('from') ?? wrong[name]),
    }
  }
  const submit = () => {
    setChecked(true)
    if (missingOf(prices).size > 0) return
    setSent(prices.map((one) => one.key))
    void run(async () => {
      const next = await unwrap(
        api.PUT('/company/rates', { body: bodyOf(draft) }),
      )
      client.setQueryData(keys.rates, next)
      setEdited(null)
      setChecked(false)
      await client.invalidateQueries({ queryKey: keys.budget })
    })
  }
  return (
    <SectionForm
      title={t('costs.prices')}
      text={
        <>
          {t('costs.pricesText')}{' '}
          <a
            href="https://developers.facebook.com/docs/whatsapp/pricing"
            target="_blank"
            rel="noopener noreferrer"
            className={classes.link}
          >
            {t('costs.priceList')}
            <IconExternalLink size={14} aria-hidden />
          </a>
        </>
      }
      onSubmit={submit}
    >
      <Stack gap="md">
        <div className={classes.pair}>
          <NativeSelect
            label={t('costs.currency')}
            value={draft.currency}
            error={wrong.currency}
            data={currencyOptions(draft.currency)}
            onChange={(event) =>
              change({ currency: event.currentTarget.value })
            }
          />
          <NumberInput
            label={t('costs.free')}
            description={t('costs.freeText')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            min={0}
            allowDecimal={false}
            allowNegative={false}
            value={draft.free}
            error={wrong.free_service_per_month}
            onChange={(free) => change({ free })}
          />
        </div>
        {prices.length === 0 ? (
          <p className={rows.none}>{t('costs.noRates')}</p>
        ) : (
          <ul className={classes.prices} aria-label={t('costs.prices')}>
            {prices.map((price, index) => (
              <PriceRow
                key={price.key}
                price={price}
                n={index + 1}
                countries={countries}
                point={decimalPoint(i18n.language)}
                wrong={problemsOf(price.key)}
                focused={price.key === added}
                onChange={(part) => changePrice(price.key, part)}
                onRemove={() => {
                  change({
                    prices: prices.filter((one) => one.key !== price.key),
                  })
                  add.current?.focus()
                }}
              />
            ))}
          </ul>
        )}
        <Button
          ref={add}
          variant="default"
          className={classes.add}
          leftSection={<IconPlus size={16} />}
          onClick={() => {
            const next = nextPrice(prices, draft.currency, dayKey(new Date()))
            setAdded(next.key)
            change({ prices: [...prices, next] })
          }}
        >
          {t('costs.add')}
        </Button>
        <FormFooter
          busy={busy}
          saved={done && !changed}
          problem={
            problem ??
            (Object.keys(wrong).length > 0 || missing.size > 0
              ? t('reception.look')
              : null)
          }
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
