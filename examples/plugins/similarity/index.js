import { Type, contribute, definePlugin, point } from '@mesh.dev/mesh/plugin'
import { similarity } from './similarity.js'

export default definePlugin({
  contract: 1,
  name: 'similarity',
  summary: 'Scores an output by the words of the expected output that it has.',
  settings: Type.Object({}),
  create: () => ({}),
  contributions: () => [contribute(point('evals.evaluator'), similarity)],
})
