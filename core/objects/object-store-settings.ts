import { Type } from 'typebox'
import { DEFAULT_BUCKET, DEFAULT_REGION } from './s3-address.ts'

/** Settings of the object store, as `parseS3Settings` reads them. */
export const objectStoreSettings = Type.Object(
  {
    addr: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 261,
        description:
          'host:port of an S3 server. Read by state role, BFF and worker. Without it `all` keeps objects in its data folder.',
      }),
    ),
    accessKey: Type.Optional(Type.String({ minLength: 1, description: 'Access key of the S3 server.' })),
    secretKey: Type.Optional(Type.String({ minLength: 1, description: 'Secret key of the S3 server.' })),
    bucket: Type.String({ minLength: 1, default: DEFAULT_BUCKET, description: 'Bucket, which must exist.' }),
    region: Type.String({ minLength: 1, default: DEFAULT_REGION, description: 'Region of the bucket.' }),
    tls: Type.Boolean({ default: false, description: 'Connects by TLS.' }),
  },
  { description: 'Store of recordings of runs.' },
)
