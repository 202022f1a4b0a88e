import { ActionIcon, NativeSelect, NumberInput, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { categories, everywhere, type PriceDraft } from './prices'
import classes from './Costs.module.css'

export type PriceProblems = Partial<
  Record<'country' | 'category' | 'amount' | 'from', string>
>

/** PriceRow edits a price. */
export function PriceRow({
  price,
  n,
  countries,
  point,
  wrong,
  focused,
  onChange,
  onRemove,
}: {
  price: PriceDraft
  n: number
  countries: { value: string; label: string }[]
  point: string
  wrong: PriceProblems
  focused: boolean
  onChange: (part: Partial<PriceDraft>) => void
  onRemove: () => void
}) {
  const { t } = useTranslation()
  return (
    <li>
      <div
        role="group"
        aria-label={t('costs.row', { n })}
        className={classes.price}
      >
        <NativeSelect
          label={t('costs.country')}
          value={price.country}
          error={wrong.country}
          autoFocus={focused}
          data={[
            { value: everywhere, label: t('costs.everywhere') },
            ...countries,
          ]}
          onChange={(event) => onChange({ country: event.currentTarget.value })}
        />
        <NativeSelect
          label={t('costs.by.category')}
          value={price.category}
          error={wrong.category}
          data={categories.map((one) => ({
            value: one,
            label: t(`costs.category.${one}`),
          }))}
          onChange={(event) =>
            onChange({
              category: event.currentTarget.value as PriceDraft['category'],
            })
          }
        />
        <NumberInput
          label={t('costs.price')}
          min={0}
          decimalScale={6}
          decimalSeparator={point}
          allowedDecimalSeparators={['.', ',']}
          allowNegative={false}
          hideControls
          inputMode="decimal"
          value={price.amount}
          error={wrong.amount}
          onChange={(amount) => onChange({ amount })}
        />
        <TextInput
          type="date"
          label={t('costs.from')}
          value={price.from}
          error={wrong.from}
          onChange={(event) => onChange({ from: event.currentTarget.value })}
        />
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={t('costs.remove', { n })}
          title={t('costs.remove', { n })}
          onClick={onRemove}
        >
          <IconTrash size={18} />
        </ActionIcon>
      </div>
    </li>
  )
}
