import {
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
} from '@mantine/core'

/** The colours used with Mantine's components. Other colour names have no variables in variables.css. */
export const colours = ['dark', 'gray', 'green', 'red', 'yellow'] as const

declare module '@mantine/core' {
  interface MantineThemeColorsOverride {
    colors: Record<
      (typeof colours)[number] | 'dimmed' | `var(--${string})`,
      MantineColorsTuple
    >
  }
}

const green: MantineColorsTuple = [
  '#e9f6f1',
  '#d2ecdf',
  '#a5d9c2',
  '#76c7a5',
  '#35b98c',
  '#22a37a',
  '#128a68',
  '#0b7a5b',
  '#086249',
  '#054a37',
]

const dark: MantineColorsTuple = [
  '#e6ecea',
  '#c3cdc9',
  '#a3b0ab',
  '#7c8984',
  '#3a4541',
  '#29322f',
  '#1f2724',
  '#161c1a',
  '#121817',
  '#0f1413',
]

/** theme replaces Mantine's colours, sizes and radii. Its CSS variables are generated into variables.css, so the page does not compute them at run time. */
export const theme = createTheme({
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontSizes: { xs: '11.5px', sm: '13px', md: '14px', lg: '15px', xl: '17px' },
  lineHeights: { xs: '16px', sm: '18px', md: '20px', lg: '22px', xl: '24px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '20px', xl: '24px' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '10px', xl: '12px' },
  defaultRadius: 'md',
  primaryColor: 'green',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  colors: { green, dark },
  // Mantine's light yellow is too pale for titles and too loud in the dark scheme. Accent and red are light in the dark scheme and need dark text.
  variantColorResolver: (input) => {
    const resolved = defaultVariantColorsResolver(input)
    if (input.variant === 'light' && input.color === 'yellow')
      return {
        ...resolved,
        background: 'var(--amber-soft)',
        hover: 'var(--amber-soft)',
        color: 'var(--amber)',
      }
    if (input.variant !== 'filled') return resolved
    if (input.color === 'red') return { ...resolved, color: 'var(--panel)' }
    return input.color === undefined || input.color === 'green'
      ? { ...resolved, color: 'var(--accent-ink)' }
      : resolved
  },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '17px', lineHeight: '24px' },
      h2: { fontSize: '15px', lineHeight: '20px' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // No transitions: people open dialogs and menus hundreds of times a day.
    Modal: {
      defaultProps: {
        transitionProps: { duration: 0 },
        overlayProps: { backgroundOpacity: 0.4 },
      },
    },
    Popover: { defaultProps: { transitionProps: { duration: 0 } } },
    Menu: {
      defaultProps: {
        transitionProps: { duration: 0 },
        shadow: 'md',
        withInitialFocusPlaceholder: false,
      },
    },
    Button: { defaultProps: { size: 'sm' } },
    // Render dialogs and menus inside the main landmark, where screen readers look for content.
    Portal: { defaultProps: { target: '#layer' } },
    Select: { defaultProps: { openOnFocus: false } },
    Autocomplete: { defaultProps: { openOnFocus: false } },
  },
})
