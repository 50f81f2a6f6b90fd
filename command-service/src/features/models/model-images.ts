import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type { Kit } from '../../kit/app.ts';
import type { Versioned } from '../../kit/versioned-object.decider.ts';
import type { ConnectionFields } from './connection.decider.ts';

/** Which models take images, as tests of their connections have found. */
export class ModelImages {
  readonly #pool: Kit['pool'];

  constructor({ pool }: Pick<Kit, 'pool'>) {
    this.#pool = pool;
  }

  /** Null if the model was never tested at the present address. */
  async takesImages(
    { id, organizationId, fields }: Versioned<ConnectionFields>,
    model: string,
  ): Promise<boolean | null> {
    const { rows } = await inTenant(this.#pool, organizationId, (client) =>
      client.query<{ takes_images: boolean }>(
        `select takes_images from operational.model_images
         where connection_id = $1 and model = $2 and base_url = $3`,
        [id, model, fields.baseUrl],
      ),
    );
    return rows[0]?.takes_images ?? null;
  }

  /** Keeps the outcome for a model of the connection's list, and deletes those of removed models. */
  async remember(
    { id, organizationId, fields }: Versioned<ConnectionFields>,
    model: string,
    takesImages: boolean,
  ): Promise<void> {
    if (!fields.models.includes(model)) return;
    await inTenant(this.#pool, organizationId, async (client) => {
      await client.query(
        `delete from operational.model_images where connection_id = $1 and model <> all($2)`,
        [id, fields.models],
      );
      await client.query(
        `insert into operational.model_images
           (connection_id, model, organization_id, base_url, takes_images)
         values ($1, $2, $3, $4, $5)
         on conflict (connection_id, model)
         do update set base_url = excluded.base_url, takes_images = excluded.takes_images`,
        [id, model, organizationId, fields.baseUrl, takesImages],
      );
    });
  }
}
