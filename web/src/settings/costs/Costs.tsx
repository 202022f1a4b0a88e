import '@mantine/core/styles/NumberInput.layer.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { budgetOptions, ratesOptions } from '../../api/budget'
import { keys } from '../../api/keys'
import { Loaded } from '../../api/Loaded'
import { useMe } from '../../api/queries'
import { Page } from '../../ui/Layout'
import { LeaveDialog } from '../reception/LeaveDialog'
import { useFresh } from '../useFresh'
import { BudgetForm } from './BudgetForm'
import { PricesForm } from './PricesForm'

/** Costs is the page of the budget and the prices of messages. */
export default function Costs() {
  const { t } = useTranslation()
  const mayRead = useMe().scopes.includes('reports:read')
  useFresh(keys.rates, keys.budget)
  const rates = useQuery(ratesOptions)
  const budget = useQuery(budgetOptions)
  const [pricesChanged, setPricesChanged] = useState(false)
  const [budgetChanged, setBudgetChanged] = useState(false)
  return (
    <Page
      title={t('costs.title')}
      text={
        <>
          {t('costs.text')}{' '}
          {mayRead && <Link to="/report/costs">{t('costs.see')}</Link>}
        </>
      }
    >
      <Loaded query={budget}>
        {(data) => <BudgetForm budget={data} onChanged={setBudgetChanged} />}
      </Loaded>
      <Loaded query={rates}>
        {(data) => <PricesForm stored={data} onChanged={setPricesChanged} />}
      </Loaded>
      <LeaveDialog active={pricesChanged || budgetChanged} />
    </Page>
  )
}
