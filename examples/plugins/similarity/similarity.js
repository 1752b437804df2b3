export const similarity = {
  type: 'example.com/similarity',
  needsExpected: () => true,
  check: ({ ignore = [], ...others }) => {
    const [unknown] = Object.keys(others)
    if (unknown !== undefined) return [{ pointer: `/${unknown}`, detail: 'is not known' }]
    const isList = Array.isArray(ignore) && ignore.every((word) => typeof word === 'string')
    return isList ? [] : [{ pointer: '/ignore', detail: 'must be a list of words' }]
  },
  evaluate: ({ output, expected }, { ignore = [] }) => {
    const said = wordsOf(output)
    const wanted = [...wordsOf(expected)].filter((word) => !ignore.includes(word))
    if (wanted.length === 0) throw new Error('the expected output has no words')
    const found = wanted.filter((word) => said.has(word)).length
    return { score: found / wanted.length, note: `${found} of ${wanted.length} words` }
  },
}

function wordsOf(value) {
  return new Set((JSON.stringify(value) ?? '').toLowerCase().match(/\p{L}+/gu))
}
