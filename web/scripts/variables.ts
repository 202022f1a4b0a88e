import {
  convertCssVariables,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from '@mantine/core'
import { colours, theme } from '../src/ui/theme.ts'

const named: readonly string[] = colours

/** variables returns the custom properties of the theme as in src/ui/variables.css. */
export function variables(): string {
  const all = mergeMantineTheme(DEFAULT_THEME, theme)
  const colors = Object.fromEntries(
    Object.entries(all.colors).filter(([name]) => named.includes(name)),
  ) as typeof all.colors
  const css = convertCssVariables(
    defaultCssVariablesResolver({ ...all, colors }),
    ':root',
  )
  const lines = css
    .replaceAll('{', ' {\n')
    .replaceAll(';', ';\n')
    .replaceAll(/^--/gm, '  --')
    .replaceAll(/\n{2,}/g, '\n')
  return `/* Made from theme.ts by "npx vitest run scripts/variables.test.ts -u". */\n${lines}\n`
}
