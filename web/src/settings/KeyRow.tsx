import { Badge, Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useBoards, useMe } from '../api/queries'
import type { Key } from '../api/types'
import { dateAndTime, number } from '../ui/format'
import { scopeGroups } from './scopes'
import rows from '../ui/rows.module.css'
import classes from './Integrations.module.css'

/** KeyRow shows a key's scopes, last use and expiry. */
export function KeyRow({
  apiKey,
  onEdit,
  onRotate,
  onRevoke,
}: {
  apiKey: Key
  onEdit: () => void
  onRotate: () => void
  onRevoke: () => void
}) {
  const { t } = useTranslation()
  const boards = useBoards().data ?? []
  const mine = useMe().scopes
  const offered = scopeGroups.flatMap((group) =>
    group.scopes.filter((scope) => mine.includes(scope)),
  )
  const {
    name,
    user,
    scopes,
    last_used_at: used,
    expires_at: ends,
    revoked_at: revoked,
  } = apiKey
  const expired = ends !== null && Date.parse(ends) <= Date.now()
  const over = revoked
    ? t('apiKeys.revoked', { time: dateAndTime(revoked) })
    : expired
      ? t('apiKeys.expired')
      : null
  return (
    <li className={rows.row} data-wrap>
      <div className={rows.main}>
        <strong className={classes.name}>
          {name}
          {over && (
            <Badge variant="light" color="gray" tt="none">
              {over}
            </Badge>
          )}
        </strong>
        <span>
          {[
            used
              ? t('apiKeys.used', { time: dateAndTime(used) })
              : t('apiKeys.neverUsed'),
            ends
              ? t('apiKeys.until', { time: dateAndTime(ends) })
              : t('apiKeys.forEver'),
            t('apiKeys.as', { name: user.name }),
            ...(apiKey.acts_as === 'integration'
              ? [t('apiKeys.integration')]
              : []),
            t('apiKeys.rateOf', { n: number(apiKey.rate.per_second) }),
          ].join(' · ')}
        </span>
        <span>
          {offered.every((scope) => scopes.includes(scope))
            ? t('apiKeys.allScopes')
            : scopes.join(', ')}
        </span>
        {apiKey.boards && (
          <span>
            {t('apiKeys.boardsOf', {
              names:
                apiKey.boards
                  .map(
                    (id) =>
                      boards.find((board) => board.id === id)?.name ??
                      t('apiKeys.unknownBoard'),
                  )
                  .join(', ') || t('apiKeys.noBoard'),
            })}
          </span>
        )}
      </div>
      {!revoked && (
        <div className={classes.actions}>
          <Button
            variant="default"
            size="xs"
            aria-label={t('apiKeys.editNamed', { name })}
            onClick={onEdit}
          >
            {t('apiKeys.edit')}
          </Button>
          <Button
            variant="default"
            size="xs"
            aria-label={t('apiKeys.rotateNamed', { name })}
            onClick={onRotate}
          >
            {t('apiKeys.rotate')}
          </Button>
          <Button
            variant="default"
            size="xs"
            c="var(--red)"
            aria-label={t('apiKeys.revokeNamed', { name })}
            onClick={onRevoke}
          >
            {t('apiKeys.revoke')}
          </Button>
        </div>
      )}
    </li>
  )
}
