import hooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

// Imports run downwards: a screen uses contact, fields, jobs, api, live and ui, and of other screens only those below it; these six never use a screen.
const screens = [
  'inbox',
  'contacts',
  'imports',
  'boards',
  'report',
  'settings',
  'profile',
  'people',
]
const below = { settings: ['profile'], profile: ['people'] }
const notFrom = (names) => ({
  'no-restricted-imports': [
    'error',
    {
      patterns: names.map((name) => ({
        group: [`**/${name}/*`],
        message: `This directory does not import ${name}/.`,
      })),
    },
  ],
})

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'src/api/schema.d.ts'] },
  ...tseslint.configs.strict,
  {
    plugins: { 'react-hooks': hooks },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
    },
  },
  {
    files: ['src/ui/**'],
    rules: notFrom([
      ...screens,
      'app',
      'contact',
      'fields',
      'jobs',
      'api',
      'live',
    ]),
  },
  {
    files: ['src/api/**'],
    rules: notFrom([...screens, 'app', 'contact', 'fields', 'jobs', 'live']),
  },
  {
    files: ['src/live/**'],
    rules: notFrom([...screens, 'app', 'contact', 'fields', 'jobs']),
  },
  {
    files: ['src/jobs/**'],
    rules: notFrom([...screens, 'app', 'contact', 'fields']),
  },
  { files: ['src/fields/**'], rules: notFrom([...screens, 'app', 'contact']) },
  { files: ['src/contact/**'], rules: notFrom([...screens, 'app']) },
  ...screens.map((screen) => ({
    files: [`src/${screen}/**`],
    rules: notFrom([
      ...screens.filter(
        (other) => other !== screen && !below[screen]?.includes(other),
      ),
      'app',
    ]),
  })),
)
