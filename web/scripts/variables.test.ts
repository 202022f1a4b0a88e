import { expect, it } from 'vitest'
import { variables } from './variables'

it('has the variables of the theme in a style sheet', async () => {
  await expect(variables()).toMatchFileSnapshot('../src/ui/variables.css')
})
