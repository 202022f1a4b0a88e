const samples = {
  en: {
    name: 'contacts-example.csv',
    rows: [
      ['Name', 'Phone', 'Company', 'City', 'Labels'],
      ['Ana Souza', '+55 11 91234-5601', 'Padaria Sol', 'São Paulo', 'VIP'],
      ['John Miller', '+1 415 555 2671', '', 'San Francisco', ''],
    ],
    separator: ',',
  },
  'pt-BR': {
    name: 'exemplo-de-contatos.csv',
    rows: [
      ['Nome', 'Telefone', 'Empresa', 'Cidade', 'Etiquetas'],
      ['Ana Souza', '(11) 91234-5601', 'Padaria Sol', 'São Paulo', 'VIP'],
      ['João Lima', '+55 81 99876-5432', '', 'Recife', ''],
    ],
    separator: ';',
  },
  es: {
    name: 'ejemplo-de-contactos.csv',
    rows: [
      ['Nombre', 'Teléfono', 'Empresa', 'Ciudad', 'Etiquetas'],
      ['Ana Souza', '+55 11 91234-5601', 'Padaria Sol', 'São Paulo', 'VIP'],
      ['Lucía Gómez', '+54 11 2345-6789', '', 'Buenos Aires', ''],
    ],
    separator: ';',
  },
}

/** sampleFile returns a CSV file that can be imported as it is, with the headers and the separator of a language. The mark at its start makes Excel read it as UTF-8. */
export function sampleFile(language: string): {
  name: string
  content: string
} {
  const { name, rows, separator } =
    language in samples ? samples[language as keyof typeof samples] : samples.en
  const lines = rows.map((row) => row.join(separator)).join('\r\n')
  return { name, content: `\uFEFF${lines}\r\n` }
}
