/** Reserved words of CEL that may also be the name of a field. */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)
const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/
const ESCAPES: { readonly [text: string]: string } = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}

/** The name of a field in an expression, as in kube-apiserver: `my-field` is `my__dash__field`. */
export function celName(field: string): string {
  if (PLAIN.test(field) && !field.includes('__') && !RESERVED.has(field)) return field
  if (RESERVED.has(field)) return `__${field}__`
  return field.replaceAll(/__|[.\-/]/g, (text) => ESCAPES[text] ?? text)
}
