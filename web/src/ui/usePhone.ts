import { useMediaQuery } from '@mantine/hooks'

/** usePhone is true where one pane at a time is shown. */
export const usePhone = () =>
  useMediaQuery('(max-width: 799px)', false, { getInitialValueInEffect: false })

/** useNarrow is true where there is no room for the column of views. */
export const useNarrow = () =>
  useMediaQuery('(max-width: 999px)', false, { getInitialValueInEffect: false })
