import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import type { Conversation, Template } from '../../api/types'
import { Dialog } from '../../ui/Dialog'
import { Empty, Failure, Loading } from '../../ui/states'
import { usePhone } from '../../ui/usePhone'
import { refusal } from '../refusal'
import { stateOf, type ChosenTemplate } from './template'
import { TemplateForm } from './TemplateForm'
import { useTemplateCost } from './useTemplateCost'
import classes from '../thread/Offer.module.css'

type Props = {
  conversation: Conversation
  onClose: () => void
  onSend: (template: ChosenTemplate, preview: string) => void
  onLater: (template: ChosenTemplate, preview: string) => void
}

/** TemplateDialog selects one of the number's templates and fills in its variables. */
export function TemplateDialog({
  conversation,
  onClose,
  onSend,
  onLater,
}: Props) {
  const { t } = useTranslation()
  const { channel } = conversation
  const costOf = useTemplateCost(conversation.id)
  const optedOut = useOptedOut(conversation)
  const phone = usePhone()
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 200)
  const [chosen, setChosen] = useState<Template | null>(null)
  const list = useInfiniteQuery({
    queryKey: [...keys.templates(channel), 'search', q],
    initialPageParam: '',
    refetchOnMount: 'always', // WhatsApp pauses and approves templates at any time
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/channels/{id}/templates', {
          params: {
            path: { id: channel },
            query: {
              limit: 50,
              ...(q ? { q } : {}),
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
  })
  const templates = list.data?.pages.flatMap((page) => page.data) ?? []
  return (
    <Dialog
      title={t('template.title')}
      onClose={onClose}
      size={chosen ? 780 : 'lg'}
      fullScreen={phone}
    >
      {chosen ? (
        <TemplateForm
          key={chosen.id}
          template={chosen}
          cost={costOf(chosen)}
          onBack={() => setChosen(null)}
          onSend={onSend}
          onLater={onLater}
        />
      ) : (
        <Stack gap="sm">
          <TextInput
            type="search"
            aria-label={t('template.search')}
            placeholder={t('template.search')}
            data-autofocus
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              const first = templates.find((one) => !stateOf(one, optedOut, t))
              if (event.key === 'Enter' && q === text.trim() && first)
                setChosen(first)
            }}
          />
          {list.isPending && <Loading rows={4} />}
          {list.isError && (
            <Failure
              message={refusal(list.error, t)}
              onRetry={() => void list.refetch()}
            />
          )}
          {list.isSuccess && templates.length === 0 && (
            <Empty title={q ? t('list.nothingFound') : t('template.none')} />
          )}
          <Stack
            component="ul"
            gap={6}
            m={0}
            p={0}
            className={classes.templates}
            aria-label={t('template.list')}
          >
            {templates.map((template) => {
              const state = stateOf(template, optedOut, t)
              return (
                <li key={template.id}>
                  <button
                    type="button"
                    className={classes.template}
                    disabled={state !== null}
                    onClick={() => setChosen(template)}
                  >
                    <strong>{template.name}</strong> ({template.language})
                    {state ? (
                      <em> · {state}</em>
                    ) : (
                      costOf(template) && (
                        <small className={classes.cost}>
                          {' · '}
                          {costOf(template)}
                        </small>
                      )
                    )}
                    <span>{template.body}</span>
                  </button>
                </li>
              )
            })}
          </Stack>
          {list.hasNextPage && (
            <Button
              variant="default"
              loading={list.isFetchingNextPage}
              onClick={() => void list.fetchNextPage()}
            >
              {t('common.more')}
            </Button>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}

/** useOptedOut reports whether the customer gets no templates of the category marketing. */
function useOptedOut({ contact }: Conversation): boolean {
  const found = useQuery({
    queryKey: keys.contact(contact ?? ''),
    enabled: contact !== null,
    staleTime: 15_000,
    queryFn: () =>
      unwrap(
        api.GET('/contacts/{id}', { params: { path: { id: contact ?? '' } } }),
      ),
  })
  return found.data?.opted_out ?? false
}
