import { useMediaQuery } from '@mantine/hooks'

/** usePhone reports whether the screen shows one pane at a time. */
export const usePhone = () =>
  useMediaQuery('(max-width: 799px)', false, { getInitialValueInEffect: false })

/** useNarrow reports whether the screen is too narrow for the views column. */
export const useNarrow = () =>
  useMediaQuery('(max-width: 999px)', false, { getInitialValueInEffect: false })
