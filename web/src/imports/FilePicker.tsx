import { Button, FileButton } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fileSize } from '../ui/format'
import classes from './Imports.module.css'

type Props = {
  endings: string[]
  maxBytes: number
  text: string
  hint: string
  wrongFile: string
  onFile: (file: File) => void
}

/** FilePicker takes a file by a button, or dropped anywhere on the page. It refuses files with another ending, empty files and those with more than maxBytes. */
export function FilePicker({
  endings,
  maxBytes,
  text,
  hint,
  wrongFile,
  onFile,
}: Props) {
  const { t } = useTranslation()
  const [problem, setProblem] = useState<string | null>(null)
  const take = (file: File) => {
    const name = file.name.toLowerCase()
    const wrong = !endings.some((ending) => name.endsWith(ending))
      ? wrongFile
      : file.size === 0
        ? t('imports.empty')
        : file.size > maxBytes
          ? t('imports.tooLarge', { max: fileSize(maxBytes) })
          : null
    setProblem(wrong)
    if (!wrong) onFile(file)
  }
  const over = useFileDrop(take)
  return (
    <div className={classes.picker} data-over={over || undefined}>
      <IconFileUpload size={32} stroke={1.4} aria-hidden />
      <p className={classes.pickerText}>{text}</p>
      <FileButton
        accept={endings.join()}
        inputProps={{ 'aria-label': t('imports.chooseFile') }}
        onChange={(file) => file && take(file)}
      >
        {(props) => (
          <Button {...props} data-autofocus>
            {t('imports.chooseFile')}
          </Button>
        )}
      </FileButton>
      <p className={classes.hint}>{hint}</p>
      {problem && (
        <p role="alert" className={classes.problem}>
          {problem}
        </p>
      )}
    </div>
  )
}

/** useFileDrop passes on the first file that is dropped on the page, and reports whether one is being dragged over it. A browser would open the file instead. */
function useFileDrop(onFile: (file: File) => void): boolean {
  const [over, setOver] = useState(false)
  const take = useRef(onFile)
  useEffect(() => {
    take.current = onFile
  })
  useEffect(() => {
    const hasFiles = (event: DragEvent) =>
      event.dataTransfer?.types.includes('Files') ?? false
    const drag = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (!event.relatedTarget) setOver(false)
    }
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(false)
      const [file] = event.dataTransfer?.files ?? []
      if (file) take.current(file)
    }
    addEventListener('dragover', drag)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', drag)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [])
  return over
}
