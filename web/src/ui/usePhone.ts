import { useMediaQuery } from '@mantine/hooks'

/** usePhone is true where one pane at a time is shown. */
export const usePhone = () => useMediaQuery('(max-width: 799px)', false, { getInitialValueInEffect: false })
