import { expect, it } from 'vitest'
import { table } from './csv'

it("writes CSV for spreadsheets in the user's language", () => {
  const rows = [
    ['Name', 'Minutes'],
    ['A; "b"', 1.5],
    ['x,y', null],
    ['=1+1', 2],
  ]
  expect(table(rows, 'pt-BR')).toBe(
    '\ufeffName;Minutes\r\n"A; ""b""";1,5\r\nx,y;\r\n\'=1+1;2\r\n',
  )
  expect(table(rows, 'en')).toBe(
    '\ufeffName,Minutes\r\n"A; ""b""",1.5\r\n"x,y",\r\n\'=1+1,2\r\n',
  )
})
