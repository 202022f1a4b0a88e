import { useState } from 'react'
import { useFields } from '../api/queries'
import type { FieldEntity, FieldValues } from '../api/types'
import { useFieldTexts } from './useFieldTexts'
import { draftOf, readDrafts, type Drafts } from './values'

const nothing: FieldValues = {}

/** useFieldForm keeps the drafts of custom fields in a form. Fields that were not edited follow the stored values. */
export function useFieldForm(
  entity: FieldEntity,
  stored: FieldValues = nothing,
) {
  const fields = useFields(entity)
  const texts = useFieldTexts()
  const [edited, setEdited] = useState<Drafts>({})
  const [wrong, setWrong] = useState<Record<string, string>>({})
  const touched = fields.filter((one) => one.key in edited)
  const read = readDrafts(touched, edited, stored)
  return {
    changed:
      Object.keys(read.values).length + Object.keys(read.wrong).length > 0,
    /** values returns what the form changes as a part of a request body, or null if a draft cannot be stored; the inputs then say why. */
    values: () => {
      setWrong(
        Object.fromEntries(
          Object.entries(read.wrong).map(([key, why]) => [
            key,
            texts.wrong(why) ?? '',
          ]),
        ),
      )
      if (Object.keys(read.wrong).length > 0) return null
      return Object.keys(read.values).length > 0 ? { fields: read.values } : {}
    },
    /** refuse shows what the server says about the fields and reports whether it says anything about them. */
    refuse: (error: unknown): boolean => {
      const refused = texts.refused(error, fields)
      setWrong(refused)
      return Object.keys(refused).length > 0
    },
    reset: () => {
      setEdited({})
      setWrong({})
    },
    inputs: {
      fields,
      wrong,
      drafts: Object.fromEntries(
        fields.map((one) => [
          one.key,
          edited[one.key] ?? draftOf(one, stored[one.key]),
        ]),
      ),
      onChange: (key: string, draft: string) => {
        setEdited((before) => ({ ...before, [key]: draft }))
        setWrong((before) => ({ ...before, [key]: '' }))
      },
    },
  }
}
