module.exports = {
  input: process.env.MESH_OPENAPI,
  output: { path: 'client', importFileExtension: '.ts' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
}
