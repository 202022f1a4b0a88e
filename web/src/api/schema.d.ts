// Made by "make web-types" from the API document. Do not edit.

export interface paths {
    "/attendances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-attendances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/attendances/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-attendances-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-channels"];
        put?: never;
        post: operations["post-channels"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["patch-channels-id"];
        trace?: never;
    };
    "/channels/{id}/connection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-channels-id_-connection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{id}/reception": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-channels-id_-reception"];
        put: operations["put-channels-id_-reception"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{id}/reception/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-channels-id_-reception-try"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{id}/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-channels-id_-simulate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{id}/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-channels-id_-templates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{id}/templates/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-channels-id_-templates-sync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-channels-id_-test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/company": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-company"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["patch-company"];
        trace?: never;
    };
    "/company/attendance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-company-attendance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["patch-company-attendance"];
        trace?: never;
    };
    "/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-contacts"];
        put?: never;
        post: operations["post-contacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-contacts-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["patch-contacts-id"];
        trace?: never;
    };
    "/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-conversations"];
        put?: never;
        post: operations["post-conversations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-conversations-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["patch-conversations-id"];
        trace?: never;
    };
    "/conversations/{id}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-conversations-id_-activity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/assignments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-conversations-id_-assignments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/attendance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-conversations-id_-attendance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/attendance/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-conversations-id_-attendance-close"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/bot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["put-conversations-id_-bot"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["put-conversations-id_-draft"];
        post?: never;
        delete: operations["delete-conversations-id_-draft"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-conversations-id_-media"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-conversations-id_-messages"];
        put?: never;
        post: operations["post-conversations-id_-messages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-conversations-id_-notes"];
        put?: never;
        post: operations["post-conversations-id_-notes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-conversations-id_-read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/scheduled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-conversations-id_-scheduled"];
        put?: never;
        post: operations["post-conversations-id_-scheduled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/sector": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["put-conversations-id_-sector"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/snooze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-conversations-id_-snooze"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/take": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-conversations-id_-take"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-conversations-id_-timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-conversations-id_-transfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/unread": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-conversations-id_-unread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-conversations-bulk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-events-stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-hours"];
        put?: never;
        post: operations["post-hours"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hours/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-hours-id"];
        put?: never;
        post?: never;
        delete: operations["delete-hours-id"];
        options?: never;
        head?: never;
        patch: operations["patch-hours-id"];
        trace?: never;
    };
    "/hours/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-hours-id_-status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hours/holidays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-hours-holidays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inbox/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-inbox-counts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-integrations-webhooks"];
        put?: never;
        post: operations["post-integrations-webhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete-integrations-webhooks-id"];
        options?: never;
        head?: never;
        patch: operations["patch-integrations-webhooks-id"];
        trace?: never;
    };
    "/integrations/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-integrations-webhooks-id_-deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/webhooks/{id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-integrations-webhooks-id_-deliveries-delivery-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/webhooks/{id}/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-integrations-webhooks-id_-deliveries-delivery-id_-redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-integrations-webhooks-id_-rotate-secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-integrations-webhooks-id_-test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/webhooks/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-integrations-webhooks-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kanban/boards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-kanban-boards"];
        put?: never;
        post: operations["post-kanban-boards"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kanban/boards/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-kanban-boards-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["patch-kanban-boards-id"];
        trace?: never;
    };
    "/kanban/boards/{id}/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-kanban-boards-id_-counts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kanban/boards/{id}/stages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-kanban-boards-id_-stages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kanban/boards/{id}/stages/{stage_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete-kanban-boards-id_-stages-stage-id"];
        options?: never;
        head?: never;
        patch: operations["patch-kanban-boards-id_-stages-stage-id"];
        trace?: never;
    };
    "/kanban/cards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-kanban-cards"];
        put?: never;
        post: operations["post-kanban-cards"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kanban/cards/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-kanban-cards-id"];
        put?: never;
        post?: never;
        delete: operations["delete-kanban-cards-id"];
        options?: never;
        head?: never;
        patch: operations["patch-kanban-cards-id"];
        trace?: never;
    };
    "/kanban/cards/{id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-kanban-cards-id_-move"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-keys"];
        put?: never;
        post: operations["post-keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete-keys-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-keys-id_-rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-labels"];
        put?: never;
        post: operations["post-labels"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/labels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete-labels-id"];
        options?: never;
        head?: never;
        patch: operations["patch-labels-id"];
        trace?: never;
    };
    "/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["patch-me"];
        trace?: never;
    };
    "/me/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-me-notifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/notifications/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-me-notifications-read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-me-preferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["patch-me-preferences"];
        trace?: never;
    };
    "/me/presence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["put-me-presence"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/two-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-me-two-factor"];
        delete: operations["delete-me-two-factor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/two-factor/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-me-two-factor-confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/two-factor/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-me-two-factor-disable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-media"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/media/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-media-id_-content"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/media/{id}/url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-media-id_-url"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-messages-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages/{id}/reaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["put-messages-id_-reaction"];
        post?: never;
        delete: operations["delete-messages-id_-reaction"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete-notes-id"];
        options?: never;
        head?: never;
        patch: operations["patch-notes-id"];
        trace?: never;
    };
    "/private-channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-private-channels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/replies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-replies"];
        put?: never;
        post: operations["post-replies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/replies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete-replies-id"];
        options?: never;
        head?: never;
        patch: operations["patch-replies-id"];
        trace?: never;
    };
    "/replies/{id}/render": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-replies-id_-render"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/attendance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-reports-attendance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scheduled/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete-scheduled-id"];
        options?: never;
        head?: never;
        patch: operations["patch-scheduled-id"];
        trace?: never;
    };
    "/sectors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-sectors"];
        put?: never;
        post: operations["post-sectors"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sectors/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete-sectors-id"];
        options?: never;
        head?: never;
        patch: operations["patch-sectors-id"];
        trace?: never;
    };
    "/sectors/{id}/distribution": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-sectors-id_-distribution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-session"];
        put?: never;
        post: operations["post-session"];
        delete: operations["delete-session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-sessions"];
        put?: never;
        post?: never;
        delete: operations["delete-sessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete-sessions-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-setup"];
        put?: never;
        post: operations["post-setup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/team": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-team"];
        put?: never;
        post: operations["post-team"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/team/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete-team-id"];
        options?: never;
        head?: never;
        patch: operations["patch-team-id"];
        trace?: never;
    };
    "/team/{id}/reset-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post-team-id_-reset-link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/team/{id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete-team-id_-sessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/team/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-team-invitations"];
        put?: never;
        post: operations["post-team-invitations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/team/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete-team-invitations-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-views"];
        put?: never;
        post: operations["post-views"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/views/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete-views-id"];
        options?: never;
        head?: never;
        patch: operations["patch-views-id"];
        trace?: never;
    };
    "/welcome": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get-welcome"];
        put?: never;
        post: operations["post-welcome"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AcceptInputBody: {
            code?: string;
            name?: string;
            password: string;
            token: string;
        };
        AccessLink: {
            expires_at: string;
            url: string;
        };
        ActivityInputBody: {
            /** @enum {string} */
            kind: "viewing" | "typing" | "left";
        };
        AssignmentEntry: {
            /** @enum {string} */
            action: "took_over" | "received" | "handed_back";
            by: components["schemas"]["Ref"] | null;
            created_at: string;
            id: string;
            reason: string | null;
            sector: string | null;
            user: components["schemas"]["Ref"] | null;
        };
        Attempt: {
            at: string;
            duration_ms: number;
            error: string | null;
            status_code: number | null;
        };
        Attendance: {
            channel: string;
            close_reason: string | null;
            closed_at: string | null;
            closed_by: components["schemas"]["Ref"] | null;
            contact: components["schemas"]["AttendanceContact"];
            conversation: string;
            first_response_at: string | null;
            first_response_seconds: number | null;
            id: string;
            opened_at: string;
            /** @enum {string} */
            opened_by: "customer" | "team";
            protocol: string;
            responsible: components["schemas"]["Ref"] | null;
            sector: string | null;
            /** @enum {string} */
            status: "open" | "closed";
        };
        AttendanceContact: {
            id: string | null;
            name: string;
            phone: string | null;
        };
        AttendanceRules: {
            auto_close: components["schemas"]["AutoClose"];
            enabled: boolean;
            first_responder_takes_ownership: boolean;
            hours_id: string | null;
            keep_revoked: boolean;
            /** @enum {string} */
            mode: "restricted" | "liberal";
        };
        AutoClose: {
            after_minutes: number;
            enabled: boolean;
        };
        AutoCloseStruct: {
            after_minutes?: number;
            enabled?: boolean;
        };
        Board: {
            archived: boolean;
            created_at: string;
            id: string;
            name: string;
            stages: components["schemas"]["Stage"][];
            /** @enum {string|null} */
            system: "attendances" | null;
            updated_at: string;
        };
        BulkInputBody: {
            /** @enum {string} */
            action: "read" | "unread" | "archive" | "unarchive" | "close" | "take" | "transfer" | "label" | "snooze";
            add?: string[];
            ids: string[];
            reason?: string;
            remove?: string[];
            sector_id?: string | null;
            until?: string | null;
            user_id?: string | null;
        };
        BulkResult: {
            code?: string;
            id: string;
            status: number;
        };
        BulkResults: {
            results: components["schemas"]["BulkResult"][];
        };
        Card: {
            assignee: string | null;
            attendance: string | null;
            board_id: string;
            completed_at: string | null;
            contact: string | null;
            conversation: string | null;
            created_at: string;
            description: string | null;
            due_at: string | null;
            id: string;
            label_ids: string[];
            position: string;
            /** @enum {string} */
            priority: "low" | "medium" | "high" | "urgent";
            private: boolean;
            stage_id: string;
            /** @enum {string} */
            status: "open" | "completed" | "lost" | "archived";
            title: string;
            updated_at: string;
            version: number;
        };
        Channel: {
            created_at: string;
            hours_id: string | null;
            id: string;
            name: string;
            phone: string;
            /** @enum {string} */
            provider: "sandbox" | "whatsapp";
            sign: boolean;
            /** @enum {string} */
            status: "connected" | "disconnected";
            status_reason: string | null;
            warning: string | null;
        };
        ChannelConnection: {
            api_version: string | null;
            callback_url: string | null;
            coexistence: boolean | null;
            phone_number_id: string | null;
            verify_token: string | null;
            waba_id: string | null;
        };
        ChannelCredentials: {
            api_version?: string;
            app_secret: string;
            phone_number_id: string;
            token: string;
            verify_token?: string;
            waba_id: string;
        };
        ChannelTemplate: {
            body: string;
            buttons: components["schemas"]["TemplateButton"][];
            category: string;
            footer: string | null;
            header: string | null;
            id: string;
            language: string;
            name: string;
            parameters: components["schemas"]["TemplateGap"][];
            status: string;
        };
        ChannelTest: {
            error: components["schemas"]["MessageError"] | null;
            ok: boolean;
            phone: string | null;
            quality: string | null;
            status: string | null;
            verified_name: string | null;
        };
        Choice: {
            id: string;
            title: string;
        };
        ChoiceBody: {
            id: string;
            title: string;
        };
        CloseAttendanceInputBody: {
            reason?: string;
        };
        CodeInputBody: {
            code: string;
        };
        Company: {
            id: string;
            name: string;
            timezone: string;
        };
        Contact: {
            automation: boolean;
            blocked: boolean;
            channel_id: string | null;
            city: string | null;
            company: string | null;
            created_at: string;
            id: string;
            label_ids: string[];
            name: string;
            phone: string | null;
            updated_at: string;
        };
        Conversation: {
            archived: boolean;
            assignee: string | null;
            attendance: components["schemas"]["OpenAttendance"] | null;
            bot_paused_until: string | null;
            channel: string;
            contact: string | null;
            created_at: string;
            draft?: components["schemas"]["Draft"] | null;
            id: string;
            /** @enum {string} */
            kind: "direct" | "group";
            label_ids: string[];
            last_message: components["schemas"]["LastMessage"] | null;
            muted: boolean;
            name: string;
            phone: string | null;
            pinned: boolean;
            sector: string | null;
            snoozed_until: string | null;
            unread: boolean;
            unread_count: number;
            updated_at: string;
            window_expires_at: string | null;
        };
        ConversationList: {
            data: components["schemas"]["Conversation"][];
            has_more: boolean;
            limit: number;
            next_cursor: string | null;
            offset: number;
        };
        CreateBoardInputBody: {
            name: string;
            stages?: components["schemas"]["StageBody"][];
        };
        CreateCardInputBody: {
            assignee?: string | null;
            before_card_id?: string | null;
            board_id: string;
            contact?: string | null;
            conversation?: string | null;
            description?: string | null;
            due_at?: string | null;
            label_ids?: string[];
            /** @enum {string} */
            priority?: "low" | "medium" | "high" | "urgent";
            private?: boolean;
            stage_id?: string | null;
            title: string;
        };
        CreateChannelInputBody: {
            coexistence?: boolean;
            credentials?: components["schemas"]["ChannelCredentials"];
            name: string;
            phone?: string;
            private?: boolean;
            /** @enum {string} */
            provider: "sandbox" | "whatsapp";
        };
        CreateContactInputBody: {
            automation?: boolean;
            channel_id?: string;
            city?: string;
            company?: string;
            name: string;
            phone: string;
        };
        CreateHoursInputBody: {
            exceptions?: components["schemas"]["HoursException"][];
            name: string;
            timezone?: string;
            weekly?: components["schemas"]["WeeklyPeriod"][];
        };
        CreateKeyInputBody: {
            boards?: string[];
            expires_at?: string;
            name: string;
            rate?: components["schemas"]["Rate"];
            scopes: string[];
            user_id?: string;
        };
        CreateLabelInputBody: {
            color?: string;
            name: string;
        };
        CreateMemberInputBody: {
            /**
             * @default all
             * @enum {string}
             */
            access_profile: "all" | "sectors" | "own";
            email: string;
            name: string;
            /**
             * @default agent
             * @enum {string}
             */
            role: "owner" | "admin" | "manager" | "agent";
            sector_ids?: string[];
        };
        CreateNoteInputBody: {
            client_id: string;
            mentions?: string[];
            text: string;
        };
        CreateReplyInputBody: {
            media_id?: string | null;
            owner?: string | null;
            sector_ids?: string[];
            shortcut: string;
            text: string;
            title: string;
        };
        CreateSectorInputBody: {
            distribution?: components["schemas"]["DistributionBody"];
            hours_id?: string | null;
            member_ids?: string[];
            name: string;
        };
        CreateStageInputBody: {
            /**
             * @default open
             * @enum {string}
             */
            kind: "open" | "won" | "lost";
            name: string;
            position?: number;
        };
        CreateViewInputBody: {
            name: string;
            position?: number;
            query: components["schemas"]["ViewQuery"];
            shared?: boolean;
        };
        CreateWebhookInputBody: {
            events: string[];
            name: string;
            url: string;
        };
        CredentialsStruct: {
            api_version?: string;
            app_secret?: string;
            phone_number_id?: string;
            token?: string;
            verify_token?: string;
            waba_id?: string;
        };
        CursorListAttendance: {
            data: components["schemas"]["Attendance"][];
            next_cursor: string | null;
        };
        CursorListCard: {
            data: components["schemas"]["Card"][];
            next_cursor: string | null;
        };
        CursorListChannelTemplate: {
            data: components["schemas"]["ChannelTemplate"][];
            next_cursor: string | null;
        };
        CursorListDelivery: {
            data: components["schemas"]["Delivery"][];
            next_cursor: string | null;
        };
        CursorListFile: {
            data: components["schemas"]["File"][];
            next_cursor: string | null;
        };
        CursorListFoundMessage: {
            data: components["schemas"]["FoundMessage"][];
            next_cursor: string | null;
        };
        CursorListNote: {
            data: components["schemas"]["Note"][];
            next_cursor: string | null;
        };
        CursorListScheduledMessage: {
            data: components["schemas"]["ScheduledMessage"][];
            next_cursor: string | null;
        };
        DayReport: {
            closed: number;
            date: string;
            first_response: components["schemas"]["Times"];
            opened: number;
            resolution: components["schemas"]["Times"];
        };
        DeleteCardInputBody: {
            version?: number;
        };
        Delivery: {
            attempts: components["schemas"]["Attempt"][];
            created_at: string;
            event: string;
            event_id: string;
            finished_at: string | null;
            id: string;
            next_attempt_at: string | null;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
        };
        DemoLogin: {
            email: string;
            password: string;
        };
        DisableInputBody: {
            code: string;
            password: string;
        };
        Distribution: {
            capacity: number;
            /** @enum {string} */
            mode: "manual" | "round_robin" | "least_busy";
            prefer_last: boolean;
            return_after_minutes: number | null;
        };
        DistributionBody: {
            capacity?: number;
            /** @enum {string} */
            mode?: "manual" | "round_robin" | "least_busy";
            prefer_last?: boolean;
            return_after_minutes?: number | null;
        };
        DistributionMember: {
            capacity: number;
            open_attendances: number;
            /** @enum {string} */
            presence: "online" | "away" | "offline";
            /** @enum {string} */
            reason: "next" | "available" | "away" | "offline" | "full";
            received_at: string | null;
            user: components["schemas"]["Ref"];
        };
        DistributionStatus: {
            distribution: components["schemas"]["Distribution"];
            members: components["schemas"]["DistributionMember"][];
            next: components["schemas"]["Ref"] | null;
            oldest_waiting_at: string | null;
            open: boolean;
            sector: components["schemas"]["Ref"];
            waiting: number;
        };
        Draft: {
            reply_to_external_id: string | null;
            text: string;
            updated_at: string;
        };
        Error: {
            code: string;
            details: components["schemas"]["ErrorDetail"][];
            message: string;
            request_id: string;
        };
        ErrorDetail: {
            field: string;
            message: string;
            value?: string;
        };
        EventFeed: {
            data: {
                created_at: string;
                data: {
                    [key: string]: unknown;
                };
                id: string;
                tenant_id: string;
                /** @enum {string} */
                type: "message.received" | "message.sent" | "conversation.updated" | "attendance.opened" | "attendance.closed" | "kanban.card.created" | "kanban.card.moved" | "kanban.card.completed" | "message.updated" | "note.created";
            }[];
            next_cursor: string | null;
        };
        Figures: {
            closed: number;
            first_response: components["schemas"]["Times"];
            opened: number;
            resolution: components["schemas"]["Times"];
        };
        File: {
            created_at: string;
            duration_seconds: number | null;
            file_name: string;
            height: number | null;
            id: string;
            message: string;
            mime_type: string;
            size: number;
            width: number | null;
        };
        FoundMessage: {
            conversation: components["schemas"]["Ref"];
            match: number[];
            message: components["schemas"]["Message"];
            snippet: string;
        };
        Holiday: {
            date: string;
            key: string;
            name: string;
            optional: boolean;
            yearly: boolean;
        };
        Hours: {
            created_at: string;
            exceptions: components["schemas"]["HoursException"][];
            id: string;
            name: string;
            timezone: string;
            updated_at: string;
            weekly: components["schemas"]["WeeklyPeriod"][];
        };
        HoursException: {
            closed?: boolean;
            date: string;
            periods?: components["schemas"]["HoursPeriod"][];
        };
        HoursPeriod: {
            from: string;
            to: string;
        };
        HoursStatus: {
            closes_at: string | null;
            next_open_at: string | null;
            open: boolean;
        };
        Identity: {
            api_version: string;
            company: components["schemas"]["Company"];
            integration: components["schemas"]["Integration"] | null;
            user: components["schemas"]["IdentityUser"];
        };
        IdentityUser: {
            email: string;
            id: string;
            name: string;
            /** @enum {string} */
            role: "owner" | "admin" | "manager" | "agent";
        };
        InboxCounts: {
            labels: components["schemas"]["LabelCount"][];
            mine: number;
            open: number;
            sectors: components["schemas"]["SectorCount"][];
            snoozed: number;
            unassigned: number;
            unread: number;
            views: components["schemas"]["ViewCount"][];
        };
        Integration: {
            boards: string[] | null;
            created_at: string;
            expires_at: string | null;
            id: string;
            name: string;
            scopes: string[];
        };
        Interactive: {
            body: string;
            buttons: components["schemas"]["Choice"][] | null;
            footer: string | null;
            header: string | null;
            list: components["schemas"]["InteractiveList"] | null;
        };
        InteractiveBody: {
            body: string;
            buttons?: components["schemas"]["ChoiceBody"][];
            footer?: string;
            header?: string;
            list?: components["schemas"]["ListBody"];
        };
        InteractiveList: {
            button: string;
            sections: components["schemas"]["InteractiveSection"][];
        };
        InteractiveRow: {
            description: string | null;
            id: string;
            title: string;
        };
        InteractiveSection: {
            rows: components["schemas"]["InteractiveRow"][];
            title: string | null;
        };
        Invitation: {
            accepted_at: string | null;
            /** @enum {string} */
            access_profile: "all" | "sectors" | "own";
            created_at: string;
            email: string;
            expires_at: string;
            id: string;
            name: string;
            /** @enum {string} */
            role: "owner" | "admin" | "manager" | "agent";
            sector_ids: string[];
            url: string | null;
        };
        InviteInputBody: {
            /**
             * @default all
             * @enum {string}
             */
            access_profile: "all" | "sectors" | "own";
            email: string;
            name: string;
            /** @enum {string} */
            role: "owner" | "admin" | "manager" | "agent";
            sector_ids?: string[];
        };
        Key: {
            boards: string[] | null;
            created_at: string;
            expires_at: string | null;
            id: string;
            last_used_at: string | null;
            name: string;
            rate: components["schemas"]["Rate"];
            revoked_at: string | null;
            scopes: string[];
            user: components["schemas"]["Ref"];
        };
        Label: {
            color: string;
            id: string;
            name: string;
        };
        LabelCount: {
            id: string;
            open: number;
        };
        LastMessage: {
            created_at: string;
            /** @enum {string} */
            direction: "inbound" | "outbound";
            duration_seconds: number | null;
            file_name: string | null;
            id: string;
            /** @enum {string} */
            status: "queued" | "sent" | "delivered" | "read" | "failed" | "received";
            text: string | null;
            type: string;
        };
        ListAssignmentEntry: {
            data: components["schemas"]["AssignmentEntry"][];
        };
        ListBody: {
            button: string;
            sections: components["schemas"]["SectionBody"][];
        };
        ListChannel: {
            data: components["schemas"]["Channel"][];
        };
        ListHoliday: {
            data: components["schemas"]["Holiday"][];
        };
        ListHours: {
            data: components["schemas"]["Hours"][];
        };
        ListInvitation: {
            data: components["schemas"]["Invitation"][];
        };
        ListKey: {
            data: components["schemas"]["Key"][];
        };
        ListLabel: {
            data: components["schemas"]["Label"][];
        };
        ListMember: {
            data: components["schemas"]["Member"][];
        };
        ListReceptionReply: {
            data: components["schemas"]["ReceptionReply"][];
        };
        ListReply: {
            data: components["schemas"]["Reply"][];
        };
        ListSector: {
            data: components["schemas"]["Sector"][];
        };
        ListSignedIn: {
            data: components["schemas"]["SignedIn"][];
        };
        ListStageCount: {
            data: components["schemas"]["StageCount"][];
        };
        ListView: {
            data: components["schemas"]["View"][];
        };
        ListWebhook: {
            data: components["schemas"]["Webhook"][];
        };
        ListWebhookEvent: {
            data: components["schemas"]["WebhookEvent"][];
        };
        Media: {
            created_at: string;
            duration_seconds: number | null;
            file_name: string;
            height: number | null;
            id: string;
            mime_type: string;
            sha256: string;
            size: number;
            width: number | null;
        };
        MediaLink: {
            expires_at: string;
            url: string;
        };
        Member: {
            /** @enum {string} */
            access_profile: "all" | "sectors" | "own";
            capacity: number | null;
            email: string;
            id: string;
            name: string;
            open_attendances: number;
            /** @enum {string} */
            presence: "online" | "away" | "offline";
            /** @enum {string} */
            role: "owner" | "admin" | "manager" | "agent";
            sectors: components["schemas"]["Ref"][];
        };
        Menu: {
            fallback_sector?: string | null;
            invalid_text?: string | null;
            max_invalid?: number;
            options: components["schemas"]["MenuOption"][];
            text: string;
            timeout_minutes?: number;
        };
        MenuAction: {
            close?: boolean;
            menu?: components["schemas"]["Menu"];
            sector?: string;
            text?: string;
            user?: string;
        };
        MenuOption: {
            action: components["schemas"]["MenuAction"];
            title: string;
        };
        Message: {
            author: components["schemas"]["MessageAuthor"] | null;
            choice: components["schemas"]["Choice"] | null;
            client_id: string | null;
            conversation: string;
            created_at: string;
            delivered_at: string | null;
            /** @enum {string} */
            direction: "inbound" | "outbound";
            edited_at: string | null;
            error: components["schemas"]["MessageError"] | null;
            external_id: string | null;
            id: string;
            interactive: components["schemas"]["Interactive"] | null;
            media: components["schemas"]["MessageMedia"] | null;
            media_id: string | null;
            /** @enum {string} */
            origin: "customer" | "app" | "phone" | "api" | "automation";
            product: components["schemas"]["Product"] | null;
            reactions: components["schemas"]["Reaction"][];
            read_at: string | null;
            referral: components["schemas"]["Referral"] | null;
            reply_to_external_id: string | null;
            revoked_at: string | null;
            sent_at: string | null;
            sent_by: components["schemas"]["Ref"] | null;
            /** @enum {string} */
            status: "queued" | "sent" | "delivered" | "read" | "failed" | "received";
            text: string | null;
            /** @enum {string} */
            type: "text" | "image" | "audio" | "video" | "document" | "sticker" | "location" | "contacts" | "interactive" | "unsupported";
            voice: boolean;
        };
        MessageAuthor: {
            id: string | null;
            name: string;
        };
        MessageError: {
            code: string;
            message: string;
        };
        MessageMedia: {
            duration_seconds: number | null;
            file_name: string;
            height: number | null;
            id: string;
            mime_type: string;
            size: number;
            width: number | null;
        };
        MessagePage: {
            after: string | null;
            before: string | null;
            data: components["schemas"]["Message"][];
        };
        MoveCardInputBody: {
            before_card_id?: string | null;
            stage_id: string;
            version?: number;
        };
        NewKey: {
            boards: string[] | null;
            created_at: string;
            expires_at: string | null;
            id: string;
            key: string;
            last_used_at: string | null;
            name: string;
            rate: components["schemas"]["Rate"];
            revoked_at: string | null;
            scopes: string[];
            user: components["schemas"]["Ref"];
        };
        NewWebhook: {
            active: boolean;
            consecutive_failures: number;
            created_at: string;
            events: string[];
            id: string;
            name: string;
            secret: string;
            updated_at: string;
            url: string;
        };
        Note: {
            attendance: string | null;
            author: components["schemas"]["Ref"];
            client_id: string;
            conversation: string;
            created_at: string;
            edited_at: string | null;
            id: string;
            mentions: components["schemas"]["Ref"][];
            text: string;
        };
        Notification: {
            by: components["schemas"]["Ref"] | null;
            conversation: components["schemas"]["Ref"];
            created_at: string;
            entry: string | null;
            id: string;
            /** @enum {string} */
            kind: "assigned" | "mentioned" | "waiting" | "snooze_ended" | "message_failed";
            read_at: string | null;
        };
        NotificationList: {
            data: components["schemas"]["Notification"][];
            next_cursor: string | null;
            unread_count: number;
        };
        OffsetListContact: {
            data: components["schemas"]["Contact"][];
            has_more: boolean;
            limit: number;
            offset: number;
        };
        OpenAttendance: {
            id: string;
            opened_at: string;
            protocol: string;
            waiting_since: string | null;
        };
        OpenConversationInputBody: {
            channel_id: string;
            contact_id?: string;
            name?: string;
            phone?: string;
        };
        PasswordInputBody: {
            password: string;
        };
        PasswordStruct: {
            current: string;
            new: string;
        };
        PersonReport: {
            closed: number;
            first_response: components["schemas"]["Times"];
            opened: number;
            resolution: components["schemas"]["Times"];
            user: components["schemas"]["Ref"] | null;
        };
        Preferences: {
            /** @enum {string} */
            language: "pt-BR" | "en" | "es";
            /** @enum {string} */
            mark_read: "opening" | "answering";
            /** @enum {string} */
            notify: "mine_and_queues" | "everything" | "nothing";
            /** @enum {string} */
            send_with: "enter" | "ctrl_enter";
            shortcuts: boolean;
            sign: boolean;
            /** @enum {string} */
            sound: "none" | "chime" | "drop";
            /** @enum {string} */
            theme: "system" | "light" | "dark";
        };
        PreferencesInputBody: {
            /** @enum {string} */
            language?: "pt-BR" | "en" | "es";
            /** @enum {string} */
            mark_read?: "opening" | "answering";
            /** @enum {string} */
            notify?: "mine_and_queues" | "everything" | "nothing";
            /** @enum {string} */
            send_with?: "enter" | "ctrl_enter";
            shortcuts?: boolean;
            sign?: boolean;
            /** @enum {string} */
            sound?: "none" | "chime" | "drop";
            /** @enum {string} */
            theme?: "system" | "light" | "dark";
        };
        PresenceInputBody: {
            /** @enum {string} */
            presence: "auto" | "online" | "away" | "offline";
        };
        PresenceReplyBody: {
            /** @enum {string} */
            presence: "online" | "away" | "offline";
        };
        PrivateChannel: {
            id: string;
            name: string;
            viewers: components["schemas"]["Ref"][];
        };
        Product: {
            catalog_id: string;
            product_retailer_id: string;
        };
        ProfileInputBody: {
            email?: string;
            /** @enum {string} */
            language?: "pt-BR" | "en" | "es";
            name?: string;
            password?: components["schemas"]["PasswordStruct"];
            signature?: string;
        };
        Queue: {
            channel: string;
            oldest_waiting_at: string | null;
            waiting: number;
        };
        Rate: {
            burst: number;
            per_second: number;
        };
        ReactInputBody: {
            emoji: string;
        };
        Reaction: {
            at: string;
            /** @enum {string} */
            by: "customer" | "team";
            emoji: string;
            user: components["schemas"]["Ref"] | null;
        };
        ReadNotificationsInputBody: {
            all?: boolean;
            ids?: string[];
        };
        Reception: {
            away: string | null;
            enabled: boolean;
            greeting: string | null;
            menu: components["schemas"]["Menu"] | null;
        };
        ReceptionBody: {
            away?: string | null;
            enabled?: boolean;
            greeting?: string | null;
            menu?: {
                fallback_sector?: string | null;
                invalid_text?: string | null;
                max_invalid?: number;
                options: components["schemas"]["MenuOption"][];
                text: string;
                timeout_minutes?: number;
            } | null;
        };
        ReceptionOutcome: {
            /** @enum {string} */
            kind: "sector" | "user" | "close" | "people" | "none";
            reason: string;
            sector: string | null;
            user: string | null;
        };
        ReceptionReply: {
            customer: string;
            interactive: components["schemas"]["Interactive"] | null;
            outcome: components["schemas"]["ReceptionOutcome"] | null;
            text: string | null;
        };
        RecoveryReplyBody: {
            recovery_codes: string[];
        };
        Ref: {
            id: string;
            name: string;
        };
        Referral: {
            body: string | null;
            ctwa_clid: string | null;
            headline: string | null;
            image_url: string | null;
            media_type: string | null;
            source_id: string | null;
            source_type: string | null;
            source_url: string | null;
            thumbnail_url: string | null;
            video_url: string | null;
            welcome_message: string | null;
        };
        Rendered: {
            media_id: string | null;
            text: string;
        };
        RenderReplyInputBody: {
            conversation_id: string;
        };
        Reply: {
            id: string;
            media_id: string | null;
            owner: components["schemas"]["Ref"] | null;
            sector_ids: string[];
            shortcut: string;
            text: string;
            title: string;
            updated_at: string;
            uses: number;
        };
        Report: {
            by_day: components["schemas"]["DayReport"][];
            by_person: components["schemas"]["PersonReport"][];
            by_sector: components["schemas"]["SectorReport"][];
            from: string;
            timezone: string;
            to: string;
            totals: components["schemas"]["Figures"];
        };
        RotateKeyInputBody: {
            overlap_seconds?: number;
        };
        RowBody: {
            description?: string;
            id: string;
            title: string;
        };
        SaveDraftInputBody: {
            reply_to_external_id?: string | null;
            text: string;
        };
        ScheduledMessage: {
            cancel_on_reply: boolean;
            client_id: string;
            conversation: string;
            created_at: string;
            created_by: components["schemas"]["Ref"];
            error: components["schemas"]["MessageError"] | null;
            id: string;
            media_id: string | null;
            message: string | null;
            send_at: string;
            /** @enum {string} */
            status: "scheduled" | "sent" | "failed" | "cancelled";
            template: components["schemas"]["ScheduledTemplate"] | null;
            text: string | null;
            updated_at: string;
            /** @enum {string|null} */
            warning: "service_window" | null;
        };
        ScheduledParameter: {
            component?: string;
            media_id?: string;
            name?: string;
            text?: string;
        };
        ScheduledTemplate: {
            language: string;
            name: string;
            parameters: components["schemas"]["ScheduledParameter"][];
        };
        ScheduleInputBody: {
            cancel_on_reply?: boolean;
            client_id: string;
            media_id?: string;
            send_at: string;
            template?: components["schemas"]["TemplateBody"];
            text?: string;
        };
        SectionBody: {
            rows: components["schemas"]["RowBody"][];
            title?: string;
        };
        Sector: {
            distribution: components["schemas"]["Distribution"];
            hours_id: string | null;
            id: string;
            members: components["schemas"]["Ref"][];
            name: string;
            queues: components["schemas"]["Queue"][];
        };
        SectorCount: {
            id: string;
            unread: number;
            waiting: number;
        };
        SectorReport: {
            closed: number;
            first_response: components["schemas"]["Times"];
            opened: number;
            resolution: components["schemas"]["Times"];
            sector: components["schemas"]["Ref"] | null;
        };
        SendMessageInputBody: {
            client_id: string;
            interactive?: components["schemas"]["InteractiveBody"];
            media_id?: string;
            reply_to_external_id?: string;
            template?: components["schemas"]["TemplateBody"];
            text?: string;
            voice?: boolean;
        };
        SentDelivery: {
            attempts: components["schemas"]["Attempt"][];
            body: string | null;
            created_at: string;
            event: string;
            event_id: string;
            finished_at: string | null;
            id: string;
            next_attempt_at: string | null;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
        };
        Session: {
            api_version: string;
            company: components["schemas"]["Company"];
            expires_at: string;
            scopes: string[];
            user: components["schemas"]["SessionUser"];
        };
        SessionUser: {
            /** @enum {string} */
            access_profile: "all" | "sectors" | "own";
            capacity: number | null;
            email: string;
            id: string;
            name: string;
            open_attendances: number;
            /** @enum {string} */
            presence: "online" | "away" | "offline";
            /** @enum {string} */
            role: "owner" | "admin" | "manager" | "agent";
            sectors: components["schemas"]["Ref"][];
            signature: string;
            two_factor: boolean;
        };
        SetBotInputBody: {
            paused_until: string | null;
        };
        SetSectorInputBody: {
            reason?: string;
            sector_id?: string | null;
        };
        SetupInputBody: {
            company: string;
            email: string;
            name: string;
            password: string;
            timezone: string;
            token: string;
        };
        SetupReplyBody: {
            demo?: components["schemas"]["DemoLogin"];
            needed: boolean;
        };
        SignedIn: {
            created_at: string;
            current: boolean;
            id: string;
            ip: string;
            last_seen_at: string;
            user_agent: string;
        };
        SignInInputBody: {
            code?: string;
            company?: string;
            email: string;
            password: string;
        };
        SimulateChoice: {
            id: string;
            title: string;
        };
        SimulateEdit: {
            external_id: string;
            text: string;
        };
        SimulateGroup: {
            id: string;
            name: string;
        };
        SimulateInputBody: {
            choice?: components["schemas"]["SimulateChoice"];
            edit?: components["schemas"]["SimulateEdit"];
            external_id?: string;
            from?: string;
            from_phone_app?: boolean;
            group?: components["schemas"]["SimulateGroup"];
            media_id?: string;
            name?: string;
            reaction?: components["schemas"]["SimulateReaction"];
            reply_to_external_id?: string;
            revoke?: components["schemas"]["SimulateRevoke"];
            /** @enum {string} */
            status?: "delivered" | "read" | "failed";
            text?: string;
            to?: string;
        };
        SimulateReaction: {
            emoji?: string | null;
            external_id: string;
        };
        SimulateRevoke: {
            external_id: string;
        };
        SnoozeInputBody: {
            until: string | null;
        };
        Stage: {
            id: string;
            /** @enum {string} */
            kind: "open" | "won" | "lost";
            name: string;
            position: number;
        };
        StageBody: {
            /**
             * @default open
             * @enum {string}
             */
            kind: "open" | "won" | "lost";
            name: string;
        };
        StageCount: {
            cards: number;
            stage: string;
        };
        TemplateBody: {
            language: string;
            name: string;
            parameters?: components["schemas"]["TemplateParameter"][];
        };
        TemplateButton: {
            phone_number: string | null;
            text: string;
            type: string;
            url: string | null;
        };
        TemplateGap: {
            /** @enum {string} */
            component: "header" | "body" | "button";
            example: string | null;
            index: number;
            name: string | null;
            /** @enum {string} */
            type: "text" | "image" | "video" | "document";
        };
        TemplateParameter: {
            /** @enum {string} */
            component?: "header" | "body" | "button";
            media_id?: string;
            name?: string;
            text?: string;
        };
        TemplateSync: {
            synced_at: string | null;
        };
        TimelineEntry: {
            assignment?: components["schemas"]["AssignmentEntry"];
            at: string;
            attendance?: components["schemas"]["Attendance"];
            id: string;
            /** @enum {string} */
            kind: "message" | "note" | "assignment" | "attendance_opened" | "attendance_closed";
            message?: components["schemas"]["Message"];
            note?: components["schemas"]["Note"];
        };
        TimelinePage: {
            after: string | null;
            before: string | null;
            data: components["schemas"]["TimelineEntry"][];
        };
        Times: {
            average_seconds: number | null;
            count: number;
            median_seconds: number | null;
            p90_seconds: number | null;
        };
        TransferInputBody: {
            reason?: string;
            sector_id?: string | null;
            user_id?: string | null;
        };
        TryReceptionInputBody: {
            at?: string;
            open?: boolean;
            reception?: components["schemas"]["ReceptionBody"];
            texts: string[];
        };
        TwoFactorSecret: {
            secret: string;
            url: string;
        };
        UpdateBoardInputBody: {
            archived?: boolean;
            name?: string;
        };
        UpdateCardInputBody: {
            assignee?: string | null;
            contact?: string | null;
            conversation?: string | null;
            description?: string | null;
            due_at?: string | null;
            label_ids?: string[];
            /** @enum {string} */
            priority?: "low" | "medium" | "high" | "urgent";
            private?: boolean;
            /** @enum {string} */
            status?: "open" | "archived";
            title?: string;
            version?: number;
        };
        UpdateChannelInputBody: {
            coexistence?: boolean;
            credentials?: components["schemas"]["CredentialsStruct"];
            hours_id?: string | null;
            name?: string;
            private?: boolean;
            sign?: boolean;
            /** @enum {string} */
            status?: "connected" | "disconnected";
            viewers?: string[];
        };
        UpdateCompanyInputBody: {
            name?: string;
            timezone?: string;
        };
        UpdateContactInputBody: {
            automation?: boolean;
            blocked?: boolean;
            city?: string | null;
            company?: string | null;
            label_ids?: string[];
            name?: string;
        };
        UpdateConversationInputBody: {
            archived?: boolean;
            label_ids?: string[];
            muted?: boolean;
            name?: string;
            pinned?: boolean;
        };
        UpdateHoursInputBody: {
            exceptions?: components["schemas"]["HoursException"][];
            name?: string;
            timezone?: string;
            weekly?: components["schemas"]["WeeklyPeriod"][];
        };
        UpdateLabelInputBody: {
            color?: string;
            name?: string;
        };
        UpdateMemberInputBody: {
            /** @enum {string} */
            access_profile?: "all" | "sectors" | "own";
            capacity?: number | null;
            email?: string;
            name?: string;
            /** @enum {string} */
            role?: "owner" | "admin" | "manager" | "agent";
            sector_ids?: string[];
        };
        UpdateNoteInputBody: {
            mentions?: string[];
            text?: string;
        };
        UpdateReplyInputBody: {
            media_id?: string | null;
            sector_ids?: string[];
            shortcut?: string;
            text?: string;
            title?: string;
        };
        UpdateRulesInputBody: {
            auto_close?: components["schemas"]["AutoCloseStruct"];
            enabled?: boolean;
            first_responder_takes_ownership?: boolean;
            hours_id?: string | null;
            keep_revoked?: boolean;
            /** @enum {string} */
            mode?: "restricted" | "liberal";
        };
        UpdateScheduledInputBody: {
            cancel_on_reply?: boolean;
            media_id?: string;
            send_at?: string;
            template?: components["schemas"]["TemplateBody"];
            text?: string;
        };
        UpdateSectorInputBody: {
            distribution?: components["schemas"]["DistributionBody"];
            hours_id?: string | null;
            member_ids?: string[];
            name?: string;
        };
        UpdateStageInputBody: {
            /** @enum {string} */
            kind?: "open" | "won" | "lost";
            name?: string;
            position?: number;
        };
        UpdateViewInputBody: {
            name?: string;
            position?: number;
            query?: components["schemas"]["ViewQuery"];
            shared?: boolean;
        };
        UpdateWebhookInputBody: {
            active?: boolean;
            events?: string[];
            name?: string;
            url?: string;
        };
        View: {
            id: string;
            name: string;
            owner: components["schemas"]["Ref"];
            position: number;
            query: components["schemas"]["ViewQuery"];
            shared: boolean;
        };
        ViewCount: {
            count: number;
            id: string;
        };
        ViewQuery: {
            archived?: boolean | ("true" | "false");
            assignee?: string;
            channel?: string;
            /** @enum {string} */
            kind?: "direct" | "group";
            label?: string;
            q?: string;
            sector?: string;
            snoozed?: boolean | ("true" | "false");
            /** @enum {string} */
            sort?: "newest" | "oldest_waiting";
            /** @enum {string} */
            status?: "open" | "waiting" | "closed";
            unread?: boolean | ("true" | "false");
        };
        Webhook: {
            active: boolean;
            consecutive_failures: number;
            created_at: string;
            events: string[];
            id: string;
            name: string;
            updated_at: string;
            url: string;
        };
        WebhookEvent: {
            description: string;
            name: string;
        };
        WeeklyPeriod: {
            days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
            from: string;
            to: string;
        };
        Welcome: {
            company: components["schemas"]["WelcomeCompany"];
            email: string;
            /** @enum {string} */
            kind: "invitation" | "reset";
            name: string;
        };
        WelcomeCompany: {
            name: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "get-attendances": {
        parameters: {
            query?: {
                assignee?: string;
                conversation?: string;
                cursor?: string;
                from?: string;
                limit?: number;
                protocol?: string;
                sector?: string;
                status?: "open" | "closed";
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CursorListAttendance"];
                };
            };
        };
    };
    "get-attendances-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attendance"];
                };
            };
        };
    };
    "get-channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListChannel"];
                };
            };
        };
    };
    "post-channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateChannelInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
        };
    };
    "patch-channels-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateChannelInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"] | components["schemas"]["PrivateChannel"];
                };
            };
        };
    };
    "get-channels-id_-connection": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelConnection"];
                };
            };
        };
    };
    "get-channels-id_-reception": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reception"];
                };
            };
        };
    };
    "put-channels-id_-reception": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReceptionBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reception"];
                };
            };
        };
    };
    "post-channels-id_-reception-try": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TryReceptionInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListReceptionReply"];
                };
            };
        };
    };
    "post-channels-id_-simulate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SimulateInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    "get-channels-id_-templates": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                q?: string;
                status?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CursorListChannelTemplate"];
                };
            };
        };
    };
    "post-channels-id_-templates-sync": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateSync"];
                };
            };
        };
    };
    "post-channels-id_-test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelTest"];
                };
            };
        };
    };
    "get-company": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Company"];
                };
            };
        };
    };
    "patch-company": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateCompanyInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Company"];
                };
            };
        };
    };
    "get-company-attendance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttendanceRules"];
                };
            };
        };
    };
    "patch-company-attendance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateRulesInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttendanceRules"];
                };
            };
        };
    };
    "get-contacts": {
        parameters: {
            query?: {
                channel?: string;
                label?: string;
                limit?: number;
                offset?: number;
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OffsetListContact"];
                };
            };
        };
    };
    "post-contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateContactInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contact"];
                };
            };
        };
    };
    "get-contacts-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contact"];
                };
            };
        };
    };
    "patch-contacts-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateContactInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contact"];
                };
            };
        };
    };
    "get-conversations": {
        parameters: {
            query?: {
                archived?: "true" | "false";
                assignee?: string;
                channel?: string;
                contact?: string;
                cursor?: string;
                kind?: "direct" | "group";
                label?: string;
                limit?: number;
                offset?: number;
                q?: string;
                sector?: string;
                snoozed?: "true" | "false";
                sort?: "newest" | "oldest_waiting";
                status?: "open" | "waiting" | "closed";
                unread?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationList"];
                };
            };
        };
    };
    "post-conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenConversationInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
        };
    };
    "get-conversations-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
        };
    };
    "patch-conversations-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateConversationInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
        };
    };
    "post-conversations-id_-activity": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ActivityInputBody"];
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "get-conversations-id_-assignments": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAssignmentEntry"];
                };
            };
        };
    };
    "get-conversations-id_-attendance": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attendance"] | null;
                };
            };
        };
    };
    "post-conversations-id_-attendance-close": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CloseAttendanceInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attendance"];
                };
            };
        };
    };
    "put-conversations-id_-bot": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetBotInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
        };
    };
    "put-conversations-id_-draft": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveDraftInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Draft"];
                };
            };
        };
    };
    "delete-conversations-id_-draft": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "get-conversations-id_-media": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CursorListFile"];
                };
            };
        };
    };
    "get-conversations-id_-messages": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagePage"];
                };
            };
        };
    };
    "post-conversations-id_-messages": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendMessageInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    "get-conversations-id_-notes": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CursorListNote"];
                };
            };
        };
    };
    "post-conversations-id_-notes": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateNoteInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Note"];
                };
            };
        };
    };
    "post-conversations-id_-read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
        };
    };
    "get-conversations-id_-scheduled": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                status?: "scheduled" | "sent" | "failed" | "cancelled";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CursorListScheduledMessage"];
                };
            };
        };
    };
    "post-conversations-id_-scheduled": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduledMessage"];
                };
            };
        };
    };
    "put-conversations-id_-sector": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SetSectorInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
        };
    };
    "post-conversations-id_-snooze": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SnoozeInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
        };
    };
    "post-conversations-id_-take": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
        };
    };
    "get-conversations-id_-timeline": {
        parameters: {
            query?: {
                after?: string;
                around?: string;
                at?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimelinePage"];
                };
            };
        };
    };
    "post-conversations-id_-transfer": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TransferInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
        };
    };
    "post-conversations-id_-unread": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
        };
    };
    "post-conversations-bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkResults"];
                };
            };
        };
    };
    "get-events": {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
                types?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventFeed"];
                };
            };
        };
    };
    "get-events-stream": {
        parameters: {
            query?: {
                after?: string;
                types?: string;
            };
            header?: {
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    "get-hours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListHours"];
                };
            };
        };
    };
    "post-hours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateHoursInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hours"];
                };
            };
        };
    };
    "get-hours-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hours"];
                };
            };
        };
    };
    "delete-hours-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "patch-hours-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateHoursInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hours"];
                };
            };
        };
    };
    "get-hours-id_-status": {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HoursStatus"];
                };
            };
        };
    };
    "get-hours-holidays": {
        parameters: {
            query?: {
                year?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListHoliday"];
                };
            };
        };
    };
    "get-inbox-counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxCounts"];
                };
            };
        };
    };
    "get-integrations-webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhook"];
                };
            };
        };
    };
    "post-integrations-webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
        };
    };
    "delete-integrations-webhooks-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "patch-integrations-webhooks-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    "get-integrations-webhooks-id_-deliveries": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CursorListDelivery"];
                };
            };
        };
    };
    "get-integrations-webhooks-id_-deliveries-delivery-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                delivery_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentDelivery"];
                };
            };
        };
    };
    "post-integrations-webhooks-id_-deliveries-delivery-id_-redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                delivery_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    "post-integrations-webhooks-id_-rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
        };
    };
    "post-integrations-webhooks-id_-test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    "get-integrations-webhooks-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhookEvent"];
                };
            };
        };
    };
    "get-kanban-boards": {
        parameters: {
            query?: {
                archived?: "0" | "1";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Board"][];
                };
            };
        };
    };
    "post-kanban-boards": {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBoardInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Board"];
                };
            };
        };
    };
    "get-kanban-boards-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Board"];
                };
            };
        };
    };
    "patch-kanban-boards-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateBoardInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Board"];
                };
            };
        };
    };
    "get-kanban-boards-id_-counts": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListStageCount"];
                };
            };
        };
    };
    "post-kanban-boards-id_-stages": {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateStageInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stage"];
                };
            };
        };
    };
    "delete-kanban-boards-id_-stages-stage-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                stage_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "patch-kanban-boards-id_-stages-stage-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                stage_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateStageInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stage"];
                };
            };
        };
    };
    "get-kanban-cards": {
        parameters: {
            query?: {
                assignee?: string;
                board_id?: string;
                conversation?: string;
                cursor?: string;
                due?: "any" | "today" | "week" | "overdue" | "none";
                label?: string;
                limit?: number;
                priority?: "low" | "medium" | "high" | "urgent";
                q?: string;
                sort?: "newest" | "position";
                stage_id?: string;
                status?: "open" | "completed" | "lost" | "archived" | "all";
                tz?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CursorListCard"];
                };
            };
        };
    };
    "post-kanban-cards": {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCardInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Card"];
                };
            };
        };
    };
    "get-kanban-cards-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Card"];
                };
            };
        };
    };
    "delete-kanban-cards-id": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DeleteCardInputBody"];
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "patch-kanban-cards-id": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateCardInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Card"];
                };
            };
        };
    };
    "post-kanban-cards-id_-move": {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": string;
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoveCardInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Card"];
                };
            };
        };
    };
    "get-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListKey"];
                };
            };
        };
    };
    "post-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateKeyInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
        };
    };
    "delete-keys-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "post-keys-id_-rotate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateKeyInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
        };
    };
    "get-labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListLabel"];
                };
            };
        };
    };
    "post-labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateLabelInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Label"];
                };
            };
        };
    };
    "delete-labels-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "patch-labels-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateLabelInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Label"];
                };
            };
        };
    };
    "get-live": {
        parameters: {
            query?: never;
            header?: {
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    "get-me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Identity"];
                };
            };
        };
    };
    "patch-me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProfileInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    "get-me-notifications": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                unread?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationList"];
                };
            };
        };
    };
    "post-me-notifications-read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadNotificationsInputBody"];
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "get-me-preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preferences"];
                };
            };
        };
    };
    "patch-me-preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreferencesInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preferences"];
                };
            };
        };
    };
    "put-me-presence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PresenceInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PresenceReplyBody"];
                };
            };
        };
    };
    "post-me-two-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TwoFactorSecret"];
                };
            };
        };
    };
    "delete-me-two-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisableInputBody"];
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "post-me-two-factor-confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CodeInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryReplyBody"];
                };
            };
        };
    };
    "post-me-two-factor-disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisableInputBody"];
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "post-media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    file: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Media"];
                };
            };
        };
    };
    "get-media-id_-content": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
        };
    };
    "get-media-id_-url": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaLink"];
                };
            };
        };
    };
    "get-messages": {
        parameters: {
            query: {
                channel?: string;
                contact?: string;
                conversation?: string;
                cursor?: string;
                direction?: "inbound" | "outbound";
                from?: string;
                limit?: number;
                q: string;
                to?: string;
                type?: "text" | "image" | "audio" | "video" | "document" | "sticker" | "location" | "contacts" | "interactive" | "unsupported";
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CursorListFoundMessage"];
                };
            };
        };
    };
    "get-messages-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    "put-messages-id_-reaction": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReactInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    "delete-messages-id_-reaction": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "delete-notes-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "patch-notes-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateNoteInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Note"];
                };
            };
        };
    };
    "get-private-channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrivateChannel"][];
                };
            };
        };
    };
    "get-replies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListReply"];
                };
            };
        };
    };
    "post-replies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateReplyInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reply"];
                };
            };
        };
    };
    "delete-replies-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "patch-replies-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateReplyInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reply"];
                };
            };
        };
    };
    "post-replies-id_-render": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenderReplyInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rendered"];
                };
            };
        };
    };
    "get-reports-attendance": {
        parameters: {
            query?: {
                from?: string;
                sector?: string;
                to?: string;
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
        };
    };
    "delete-scheduled-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "patch-scheduled-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateScheduledInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduledMessage"];
                };
            };
        };
    };
    "get-sectors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSector"];
                };
            };
        };
    };
    "post-sectors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSectorInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sector"];
                };
            };
        };
    };
    "delete-sectors-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "patch-sectors-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateSectorInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sector"];
                };
            };
        };
    };
    "get-sectors-id_-distribution": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DistributionStatus"];
                };
            };
        };
    };
    "get-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    "post-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    "delete-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "get-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSignedIn"];
                };
            };
        };
    };
    "delete-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "delete-sessions-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "get-setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetupReplyBody"];
                };
            };
        };
    };
    "post-setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetupInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    "get-team": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListMember"];
                };
            };
        };
    };
    "post-team": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateMemberInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    "delete-team-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "patch-team-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateMemberInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    "post-team-id_-reset-link": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessLink"];
                };
            };
        };
    };
    "delete-team-id_-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "get-team-invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListInvitation"];
                };
            };
        };
    };
    "post-team-invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InviteInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    "delete-team-invitations-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "get-views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListView"];
                };
            };
        };
    };
    "post-views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateViewInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["View"];
                };
            };
        };
    };
    "delete-views-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "patch-views-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateViewInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["View"];
                };
            };
        };
    };
    "get-welcome": {
        parameters: {
            query: {
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Welcome"];
                };
            };
        };
    };
    "post-welcome": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
}
/** The codes of refusals. */
export type ErrorCode =
    | "attendance_not_open"
    | "attendance_restricted"
    | "body_too_large"
    | "channel_disconnected"
    | "client_id_conflict"
    | "code_invalid"
    | "code_required"
    | "company_required"
    | "contact_blocked"
    | "contact_exists"
    | "cross_origin"
    | "idempotency_conflict"
    | "idempotency_key_invalid"
    | "idempotency_key_required"
    | "idempotency_pending"
    | "in_use"
    | "insufficient_role"
    | "insufficient_scope"
    | "internal"
    | "invalid_cursor"
    | "invalid_json"
    | "invalid_request"
    | "key_expired"
    | "key_invalid"
    | "key_missing"
    | "key_revoked"
    | "limit_reached"
    | "login_failed"
    | "media_too_large"
    | "media_type_not_allowed"
    | "message_not_sent"
    | "name_taken"
    | "not_a_sector_member"
    | "not_found"
    | "not_scheduled"
    | "not_visible"
    | "rate_limited"
    | "service_window_closed"
    | "session_missing"
    | "session_required"
    | "stage_not_empty"
    | "template_unavailable"
    | "two_factor_active"
    | "unavailable"
    | "uncertain"
    | "url_not_allowed"
    | "version_conflict"
    | "version_required"
    | "webhook_limit";
