import { Type } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { RunId } from '../names/run-id.ts'
import { shownAs } from '../values/shown-as.ts'
import { Run } from './runs.ts'
import { TreeNode } from './run-events.ts'

const id = (description: string) => shownAs(Type.String({ maxLength: 1024, description }), RunId)

/** Query of `GET /api/runs/compare`. */
export const RunCompareQuery = Type.Object(
  { a: id('Id of the first run.'), b: id('Id of the second run.') },
  { additionalProperties: false },
)

const { spanId, kind, name, status, durationMs } = TreeNode.properties

const step = described(
  Type.Union([
    Type.Object(
      {
        spanId,
        kind,
        name,
        depth: Type.Integer({ description: 'Number of nodes above it, without the run.', examples: [0] }),
        status,
        durationMs,
      },
      { title: 'ComparedStep' },
    ),
    Type.Null(),
  ]),
  'The step of this run; null if it has no counterpart.',
)

/** Response of `GET /api/runs/compare`. */
export const RunComparison = Type.Object(
  {
    a: Run,
    b: Run,
    steps: Type.Array(
      Type.Object(
        {
          a: step,
          b: step,
          differs: Type.Array(Type.String(), {
            description: 'What differs: `status`, or names of attributes without ids, times and tokens.',
            examples: [['arguments']],
          }),
        },
        { title: 'AlignedSteps' },
      ),
      { description: 'Steps of both runs, aligned by depth, kind and name so that the most have a counterpart.' },
    ),
    firstDifference: exemplified(
      Type.Union([Type.Integer(), Type.Null()], {
        description: 'Index in `steps` of the first pair that differs; null if none does.',
      }),
      0,
    ),
    truncated: Type.Boolean({
      description: 'Whether a run has more than the 1000 steps that are compared.',
      examples: [false],
    }),
  },
  { title: 'RunComparison', description: 'Two runs with their steps side by side.' },
)
