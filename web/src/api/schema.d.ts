// Made by "make web-types" from the API document. Do not edit.

export interface paths {
    "/attendances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listAttendances"];
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
        get: operations["getAttendance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["updateAttendance"];
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listAudit"];
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
        get: operations["listChannels"];
        put?: never;
        post: operations["createChannel"];
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
        get: operations["getChannel"];
        put?: never;
        post?: never;
        delete: operations["archiveChannel"];
        options?: never;
        head?: never;
        patch: operations["updateChannel"];
        trace?: never;
    };
    "/channels/{id}/connection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getChannelConnection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{id}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["followLink"];
        put?: never;
        post: operations["pairByPhone"];
        delete: operations["unlinkChannel"];
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
        get: operations["getReception"];
        put: operations["setReception"];
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
        post: operations["tryReception"];
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
        post: operations["simulateChannel"];
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
        get: operations["listTemplates"];
        put?: never;
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{id}/templates/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deleteTemplate"];
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
        post: operations["syncTemplates"];
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
        post: operations["testChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/closing-reasons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listReasons"];
        put?: never;
        post: operations["createReason"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/closing-reasons/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deleteReason"];
        options?: never;
        head?: never;
        patch: operations["updateReason"];
        trace?: never;
    };
    "/company": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getCompany"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["updateCompany"];
        trace?: never;
    };
    "/company/attendance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAttendanceRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["updateAttendanceRules"];
        trace?: never;
    };
    "/company/budget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getBudget"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["updateBudget"];
        trace?: never;
    };
    "/company/opt-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getOptOut"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["updateOptOut"];
        trace?: never;
    };
    "/company/rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getRates"];
        put: operations["setRates"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/company/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getRetention"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["updateRetention"];
        trace?: never;
    };
    "/company/retention/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["previewRetention"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/company/survey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSurvey"];
        put: operations["setSurvey"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listContacts"];
        put?: never;
        post: operations["createContact"];
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
        get: operations["getContact"];
        put?: never;
        post?: never;
        delete: operations["deleteContact"];
        options?: never;
        head?: never;
        patch: operations["updateContact"];
        trace?: never;
    };
    "/contacts/{id}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["eraseContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{id}/erase/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["previewErase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["exportContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listConversations"];
        put?: never;
        post: operations["openConversation"];
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
        get: operations["getConversation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["updateConversation"];
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
        post: operations["reportActivity"];
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
        get: operations["listAssignments"];
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
        get: operations["getCurrentAttendance"];
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
        post: operations["closeAttendance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/attendance/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["reopenAttendance"];
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
        put: operations["setConversationBot"];
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
        put: operations["saveDraft"];
        post?: never;
        delete: operations["deleteDraft"];
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
        get: operations["listFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listGroupMembers"];
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
        get: operations["listMessages"];
        put?: never;
        post: operations["sendMessage"];
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
        get: operations["listNotes"];
        put?: never;
        post: operations["createNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/picture": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getGroupPicture"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getConversationRates"];
        put?: never;
        post?: never;
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
        post: operations["markConversationRead"];
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
        get: operations["listScheduledMessages"];
        put?: never;
        post: operations["scheduleMessage"];
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
        put: operations["setConversationSector"];
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
        post: operations["snoozeConversation"];
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
        post: operations["takeConversation"];
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
        get: operations["getTimeline"];
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
        post: operations["transferConversation"];
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
        post: operations["markConversationUnread"];
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
        post: operations["changeConversations"];
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
        get: operations["listEvents"];
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
        get: operations["followEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listFields"];
        put?: never;
        post: operations["createField"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fields/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deleteField"];
        options?: never;
        head?: never;
        patch: operations["updateField"];
        trace?: never;
    };
    "/hours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listHours"];
        put?: never;
        post: operations["createHours"];
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
        get: operations["getHours"];
        put?: never;
        post?: never;
        delete: operations["deleteHours"];
        options?: never;
        head?: never;
        patch: operations["updateHours"];
        trace?: never;
    };
    "/hours/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getHoursStatus"];
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
        get: operations["listHolidays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["importFile"];
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
        get: operations["getInboxCounts"];
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
        get: operations["listWebhooks"];
        put?: never;
        post: operations["createWebhook"];
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
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/integrations/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listDeliveries"];
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
        get: operations["getDelivery"];
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
        post: operations["redeliverWebhook"];
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
        post: operations["rotateWebhookSecret"];
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
        post: operations["testWebhook"];
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
        get: operations["listWebhookEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["cancelJob"];
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
        get: operations["listBoards"];
        put?: never;
        post: operations["createBoard"];
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
        get: operations["getBoard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["updateBoard"];
        trace?: never;
    };
    "/kanban/boards/{id}/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getBoardCounts"];
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
        post: operations["createStage"];
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
        delete: operations["deleteStage"];
        options?: never;
        head?: never;
        patch: operations["updateStage"];
        trace?: never;
    };
    "/kanban/cards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listCards"];
        put?: never;
        post: operations["createCard"];
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
        get: operations["getCard"];
        put?: never;
        post?: never;
        delete: operations["deleteCard"];
        options?: never;
        head?: never;
        patch: operations["updateCard"];
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
        post: operations["moveCard"];
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
        get: operations["listKeys"];
        put?: never;
        post: operations["createKey"];
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
        get: operations["getKey"];
        put?: never;
        post?: never;
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch: operations["updateKey"];
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
        post: operations["rotateKey"];
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
        get: operations["listLabels"];
        put?: never;
        post: operations["createLabel"];
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
        get: operations["getLabel"];
        put?: never;
        post?: never;
        delete: operations["deleteLabel"];
        options?: never;
        head?: never;
        patch: operations["updateLabel"];
        trace?: never;
    };
    "/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["followLive"];
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
        get: operations["getIdentity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["updateProfile"];
        trace?: never;
    };
    "/me/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listNotifications"];
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
        post: operations["readNotifications"];
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
        get: operations["getPreferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["updatePreferences"];
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
        put: operations["setPresence"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/push-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getPushKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/push-subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPushSubscriptions"];
        put?: never;
        post: operations["createPushSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/push-subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deletePushSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/push-subscriptions/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["testPushSubscription"];
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
        post: operations["beginTwoFactor"];
        delete: operations["removeTwoFactor"];
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
        post: operations["confirmTwoFactor"];
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
        post: operations["disableTwoFactor"];
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
        post: operations["uploadMedia"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/media/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getMedia"];
        put?: never;
        post?: never;
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
        get: operations["getMediaContent"];
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
        get: operations["getMediaLink"];
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
        get: operations["searchMessages"];
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
        get: operations["getMessage"];
        put?: never;
        post?: never;
        delete: operations["cancelHeldMessage"];
        options?: never;
        head?: never;
        patch: operations["updateHeldMessage"];
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
        put: operations["reactToMessage"];
        post?: never;
        delete: operations["removeReaction"];
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
        delete: operations["deleteNote"];
        options?: never;
        head?: never;
        patch: operations["updateNote"];
        trace?: never;
    };
    "/private-channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPrivateChannels"];
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
        get: operations["listReplies"];
        put?: never;
        post: operations["createReply"];
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
        delete: operations["deleteReply"];
        options?: never;
        head?: never;
        patch: operations["updateReply"];
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
        post: operations["renderReply"];
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
        get: operations["getAttendanceReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/cost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getCostReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getCurrentReport"];
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
        delete: operations["cancelScheduledMessage"];
        options?: never;
        head?: never;
        patch: operations["updateScheduledMessage"];
        trace?: never;
    };
    "/sectors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listSectors"];
        put?: never;
        post: operations["createSector"];
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
        get: operations["getSector"];
        put?: never;
        post?: never;
        delete: operations["removeSector"];
        options?: never;
        head?: never;
        patch: operations["updateSector"];
        trace?: never;
    };
    "/sectors/{id}/distribution": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getDistribution"];
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
        get: operations["getSession"];
        put?: never;
        post: operations["signIn"];
        delete: operations["signOut"];
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
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete: operations["endOtherSessions"];
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
        delete: operations["endSession"];
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
        get: operations["getSetup"];
        put?: never;
        post: operations["setUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sla-policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listSlaPolicies"];
        put?: never;
        post: operations["createSlaPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sla-policies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deleteSlaPolicy"];
        options?: never;
        head?: never;
        patch: operations["updateSlaPolicy"];
        trace?: never;
    };
    "/team": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listTeam"];
        put?: never;
        post: operations["createMember"];
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
        get: operations["getMember"];
        put?: never;
        post?: never;
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        patch: operations["updateMember"];
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
        post: operations["createResetLink"];
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
        delete: operations["endMemberSessions"];
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
        get: operations["listInvitations"];
        put?: never;
        post: operations["inviteMember"];
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
        delete: operations["cancelInvitation"];
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
        get: operations["listViews"];
        put?: never;
        post: operations["createView"];
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
        delete: operations["deleteView"];
        options?: never;
        head?: never;
        patch: operations["updateView"];
        trace?: never;
    };
    "/welcome": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getWelcome"];
        put?: never;
        post: operations["acceptWelcome"];
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
            url: string | null;
        };
        /** @enum {string} */
        AccessProfile: "all" | "sectors" | "own";
        ActivityInputBody: {
            /** @enum {string} */
            kind: "viewing" | "typing" | "left";
        };
        AssignmentEntry: {
            /** @enum {string} */
            action: "took_over" | "received" | "handed_back" | "moved";
            by: components["schemas"]["Ref"] | null;
            cause: components["schemas"]["Cause"] | null;
            created_at: string;
            id: string;
            reason: string | null;
            sector: string | null;
            sector_from: string | null;
            sector_to: string | null;
            user: components["schemas"]["Ref"] | null;
        };
        Attempt: {
            at: string;
            code: string | null;
            duration_ms: number;
            error: string | null;
            params: {
                [key: string]: unknown;
            };
            status_code: number | null;
        };
        Attendance: {
            channel: string;
            close_cause: components["schemas"]["Cause"] | null;
            close_reason: string | null;
            closed_at: string | null;
            closed_by: components["schemas"]["Ref"] | null;
            closing: components["schemas"]["Closing"] | null;
            contact: components["schemas"]["AttendanceContact"];
            conversation: string;
            cost: components["schemas"]["AttendanceCost"] | null;
            fields: {
                [key: string]: string | number | boolean;
            };
            first_response_at: string | null;
            first_response_seconds: number | null;
            id: string;
            opened_at: string;
            /** @enum {string} */
            opened_by: "customer" | "team";
            protocol: string;
            responsible: components["schemas"]["Ref"] | null;
            sector: string | null;
            sla: components["schemas"]["ServiceLevel"] | null;
            /** @enum {string} */
            status: "open" | "closed";
            survey: components["schemas"]["Survey"] | null;
        };
        AttendanceClosedEvent: {
            created_at: string;
            data: {
                attendance: components["schemas"]["Attendance"];
                conversation: components["schemas"]["Conversation"];
                sequence: number;
            };
            id: string;
            tenant_id: string;
            /** @enum {string} */
            type: "attendance.closed";
        };
        AttendanceContact: {
            erased: boolean;
            id: string | null;
            name: string;
            phone: string | null;
        };
        AttendanceCost: {
            amount: number;
            currency: string;
        };
        AttendanceOpenedEvent: {
            created_at: string;
            data: {
                attendance: components["schemas"]["Attendance"];
                conversation: components["schemas"]["Conversation"];
                sequence: number;
            };
            id: string;
            tenant_id: string;
            /** @enum {string} */
            type: "attendance.opened";
        };
        AttendanceRatedEvent: {
            created_at: string;
            data: {
                attendance: components["schemas"]["Attendance"];
                changed: ("rating" | "comment")[];
                conversation: components["schemas"]["Conversation"];
                sequence: number;
            };
            id: string;
            tenant_id: string;
            /** @enum {string} */
            type: "attendance.rated";
        };
        AttendanceRules: {
            auto_close: components["schemas"]["AutoClose"];
            enabled: boolean;
            first_responder_takes_ownership: boolean;
            grace_for_customers: boolean;
            grace_minutes: number;
            hours_id: string | null;
            keep_revoked: boolean;
            /** @enum {string} */
            mode: "restricted" | "liberal";
            require_reason: boolean;
        };
        AttendanceSlaBreachedEvent: {
            created_at: string;
            data: {
                attendance: components["schemas"]["Attendance"];
                conversation: components["schemas"]["Conversation"];
                sequence: number;
                /** @enum {string} */
                target: "first" | "next" | "resolution";
            };
            id: string;
            tenant_id: string;
            /** @enum {string} */
            type: "attendance.sla_breached";
        };
        AttendanceSlaWarningEvent: {
            created_at: string;
            data: {
                attendance: components["schemas"]["Attendance"];
                conversation: components["schemas"]["Conversation"];
                sequence: number;
                /** @enum {string} */
                target: "first" | "next" | "resolution";
            };
            id: string;
            tenant_id: string;
            /** @enum {string} */
            type: "attendance.sla_warning";
        };
        AuditActor: {
            id: string | null;
            name: string;
            /** @enum {string} */
            type: "user" | "key" | "system" | "operator";
        };
        AuditChange: {
            field: string;
            from: unknown;
            to: unknown;
        };
        AuditEntry: {
            action: string;
            actor: components["schemas"]["AuditActor"];
            at: string;
            changes: components["schemas"]["AuditChange"][];
            id: string;
            ip: string | null;
            request_id: string | null;
            subject: components["schemas"]["AuditSubject"];
        };
        AuditSubject: {
            id: string | null;
            name: string;
            type: string;
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
        Budget: {
            currency: string | null;
            monthly_amount: number | null;
            reached: boolean;
            spent: number;
            warn_percent: number;
        };
        BulkInputBody: {
            /** @enum {string} */
            action: "read" | "unread" | "archive" | "unarchive" | "close" | "take" | "transfer" | "label" | "snooze";
            add?: string[];
            ids: string[];
            note?: string;
            reason?: string;
            reason_id?: string;
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
            erased: boolean;
            fields: {
                [key: string]: string | number | boolean;
            };
            id: string;
            label_ids: string[];
            position: string;
            priority: components["schemas"]["Priority"];
            private: boolean;
            stage_id: string;
            /** @enum {string} */
            status: "open" | "completed" | "lost" | "archived";
            title: string;
            updated_at: string;
            version: number;
        };
        CategoryAmounts: {
            authentication: number | null;
            marketing: number | null;
            service: number | null;
            utility: number | null;
        };
        Cause: {
            code: string;
            params: {
                [key: string]: unknown;
            };
        };
        Channel: {
            archived_at: string | null;
            created_at: string;
            hours_id: string | null;
            id: string;
            messages_per_minute: number | null;
            name: string;
            phone: string | null;
            private: boolean;
            /** @enum {string} */
            provider: "sandbox" | "whatsapp" | "linked";
            reopen_template: components["schemas"]["ReopenTemplate"] | null;
            sign: boolean;
            /** @enum {string} */
            status: "connected" | "disconnected";
            status_reason: components["schemas"]["Reason"] | null;
            warning: components["schemas"]["Reason"] | null;
        };
        ChannelConnection: {
            api_version: string | null;
            callback_url: string | null;
            coexistence: boolean | null;
            import: components["schemas"]["Import"] | null;
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
        ChannelReport: {
            channel: components["schemas"]["Ref"];
            closed: number;
            first_response: components["schemas"]["Times"];
            opened: number;
            resolution: components["schemas"]["Times"];
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
            quality: string | null;
            reason: string | null;
            reason_text: string | null;
            status: string;
        };
        ChannelTest: {
            error: components["schemas"]["Reason"] | null;
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
            note?: string;
            reason?: string;
            reason_id?: string;
        };
        Closing: {
            /** @enum {string} */
            by: "person" | "automatic" | "customer";
            note: string | null;
            reason: components["schemas"]["Ref"] | null;
        };
        ClosingReason: {
            active: boolean;
            created_at: string;
            id: string;
            name: string;
            position: number;
            require_note: boolean;
            sector_ids: string[];
            updated_at: string;
        };
        CodeInputBody: {
            code: string;
        };
        Company: {
            id: string;
            name: string;
            timezone: string;
        };
        CompanySettings: {
            id: string;
            name: string;
            push_texts: boolean;
            timezone: string;
        };
        Contact: {
            automation: boolean;
            blocked: boolean;
            channel_id: string | null;
            city: string | null;
            company: string | null;
            created_at: string;
            fields: {
                [key: string]: string | number | boolean;
            };
            id: string;
            label_ids: string[];
            name: string;
            opted_out: boolean;
            opted_out_at: string | null;
            phone: string | null;
            updated_at: string;
        };
        Conversation: {
            archived: boolean;
            assignee: string | null;
            attendance: components["schemas"]["OpenAttendance"] | null;
            bot_paused_until: string | null;
            cases: boolean;
            channel: string;
            contact: string | null;
            created_at: string;
            draft?: components["schemas"]["Draft"] | null;
            erased: boolean;
            id: string;
            /** @enum {string} */
            kind: "direct" | "group";
            label_ids: string[];
            last_message: components["schemas"]["LastMessage"] | null;
            muted: boolean;
            name: string;
            phone: string | null;
            picture: string | null;
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
        ConversationUpdatedEvent: {
            created_at: string;
            data: {
                changed: string[];
                conversation: components["schemas"]["Conversation"];
                sequence: number;
            };
            id: string;
            tenant_id: string;
            /** @enum {string} */
            type: "conversation.updated";
        };
        Cost: {
            amount: number | null;
            billable: boolean;
            category: string;
            currency: string | null;
            type: string;
        };
        CostReport: {
            billable: number;
            currency: string | null;
            from: string;
            messages: number;
            rows: components["schemas"]["CostRow"][];
            timezone: string;
            to: string;
            total: number | null;
        };
        CostRow: {
            billable: number;
            category?: string;
            channel?: components["schemas"]["Ref"];
            date?: string;
            messages: number;
            /** @enum {string} */
            origin?: "app" | "phone" | "api" | "automation";
            sector?: components["schemas"]["Ref"] | null;
            total: number | null;
            user?: components["schemas"]["Ref"] | null;
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
            fields?: {
                [key: string]: unknown;
            };
            label_ids?: string[];
            priority?: components["schemas"]["Priority"];
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
            provider: "sandbox" | "whatsapp" | "linked";
        };
        CreateContactInputBody: {
            automation?: boolean;
            channel_id?: string;
            city?: string;
            company?: string;
            fields?: {
                [key: string]: unknown;
            };
            name: string;
            phone: string;
        };
        CreateFieldInputBody: {
            /** @enum {string} */
            entity: "contact" | "attendance" | "card";
            key: string;
            name: string;
            options?: string[];
            position?: number;
            required_on_close?: boolean;
            /** @enum {string} */
            type: "text" | "number" | "date" | "bool" | "choice" | "link" | "cpf" | "cnpj";
        };
        CreateHoursInputBody: {
            exceptions?: components["schemas"]["HoursException"][];
            name: string;
            timezone?: string;
            weekly?: components["schemas"]["WeeklyPeriod"][];
        };
        CreateKeyInputBody: {
            /** @enum {string} */
            acts_as?: "person" | "integration";
            boards?: string[];
            expires_at?: string;
            name: string;
            rate?: components["schemas"]["Rate"];
            scopes: components["schemas"]["Scope"][];
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
        CreatePolicyInputBody: {
            /**
             * @default always
             * @enum {string}
             */
            clock: "always" | "hours";
            first_response_minutes?: number | null;
            name: string;
            next_response_minutes?: number | null;
            resolution_minutes?: number | null;
            sector_ids?: string[];
            /** @default 80 */
            warn_percent: number;
        };
        CreateReasonInputBody: {
            active?: boolean;
            name: string;
            position?: number;
            require_note?: boolean;
            sector_ids?: string[];
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
        CreateTemplateInputBody: {
            body: string;
            buttons?: components["schemas"]["NewTemplateButton"][] | null;
            category: string;
            examples?: {
                body?: string[] | null;
                header?: string[] | null;
            } | null;
            footer?: string | null;
            header?: string | {
                /** @enum {string} */
                type: "image" | "video" | "document";
            } | null;
            language: string;
            name: string;
        };
        CreateViewInputBody: {
            name: string;
            position?: number;
            query: components["schemas"]["ViewQuery"];
            shared?: boolean;
        };
        CreateWebhookInputBody: {
            events: components["schemas"]["EventType"][];
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
        CurrentReport: {
            oldest_waiting_at: string | null;
            open: number;
            people: components["schemas"]["PersonNow"][];
            sectors: components["schemas"]["SectorNow"][];
            unanswered: number;
            unassigned: number;
        };
        CursorListAttendance: {
            data: components["schemas"]["Attendance"][];
            next_cursor: string | null;
        };
        CursorListAuditEntry: {
            data: components["schemas"]["AuditEntry"][];
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
        CursorListField: {
            data: components["schemas"]["Field"][];
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
        CursorListGroupMember: {
            data: components["schemas"]["GroupMember"][];
            next_cursor: string | null;
        };
        CursorListJob: {
            data: components["schemas"]["Job"][];
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
        DeleteFieldInputBody: {
            confirm?: boolean;
        };
        Delivery: {
            attempts: components["schemas"]["Attempt"][];
            created_at: string;
            /** @enum {string} */
            event: "message.received" | "message.sent" | "conversation.updated" | "attendance.opened" | "attendance.closed" | "kanban.card.created" | "kanban.card.moved" | "kanban.card.completed" | "message.updated" | "note.created" | "attendance.rated" | "attendance.sla_warning" | "attendance.sla_breached" | "webhook.test";
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
        EraseInput: {
            confirm_phone: string;
            reason: string;
        };
        ErasePreview: {
            cards: number;
            conversations: number;
            drafts: number;
            file_bytes: number;
            files: number;
            messages: number;
            notes: number;
            open_attendances: number;
            scheduled_messages: number;
        };
        Error: {
            code: components["schemas"]["ErrorCode"];
            details: components["schemas"]["ErrorDetail"][];
            message: string;
            params: {
                [key: string]: unknown;
            };
            request_id: string;
        };
        ErrorCode: ("already_linked" | "attendance_not_open" | "attendance_restricted" | "body_too_large" | "channel_archived" | "channel_disconnected" | "client_id_conflict" | "code_invalid" | "code_required" | "company_required" | "contact_blocked" | "contact_exists" | "cross_origin" | "field_required" | "idempotency_conflict" | "idempotency_key_invalid" | "idempotency_key_required" | "idempotency_pending" | "in_use" | "insufficient_role" | "insufficient_scope" | "internal" | "invalid_cursor" | "invalid_json" | "invalid_request" | "job_finished" | "job_not_cancellable" | "key_expired" | "key_invalid" | "key_missing" | "key_revoked" | "limit_reached" | "login_failed" | "media_too_large" | "media_type_not_allowed" | "message_not_sent" | "method_not_allowed" | "name_taken" | "no_reopen_template" | "not_a_sector_member" | "not_editable" | "not_found" | "not_held" | "not_scheduled" | "not_visible" | "opted_out" | "rate_limited" | "reason_required" | "reopen_too_late" | "service_window_closed" | "session_changed" | "session_missing" | "session_required" | "stage_not_empty" | "storage_full" | "template_unavailable" | "two_factor_active" | "unavailable" | "uncertain" | "url_not_allowed" | "version_conflict" | "version_required" | "webhook_limit") | string;
        ErrorDetail: {
            code: string;
            field: string;
            message: string;
            params: {
                [key: string]: unknown;
            };
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
                type: components["schemas"]["EventType"];
            }[];
            next_cursor: string | null;
        };
        /** @enum {string} */
        EventType: "message.received" | "message.sent" | "conversation.updated" | "attendance.opened" | "attendance.closed" | "kanban.card.created" | "kanban.card.moved" | "kanban.card.completed" | "message.updated" | "note.created" | "attendance.rated" | "attendance.sla_warning" | "attendance.sla_breached";
        Failure: {
            code: string;
            message: string;
            params: {
                [key: string]: unknown;
            };
        };
        Field: {
            created_at: string;
            /** @enum {string} */
            entity: "contact" | "attendance" | "card";
            id: string;
            key: string;
            name: string;
            options: string[];
            position: number;
            required_on_close: boolean;
            /** @enum {string} */
            type: "text" | "number" | "date" | "bool" | "choice" | "link" | "cpf" | "cnpj";
            updated_at: string;
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
        Form: {
            fields: components["schemas"]["FormField"][];
            name: string;
        };
        FormField: {
            label: string;
            name: string;
            value: string;
        };
        FoundMessage: {
            conversation: components["schemas"]["Ref"];
            match: number[];
            message: components["schemas"]["Message"];
            snippet: string;
        };
        GroupMember: {
            contact: string | null;
            name: string;
            phone: string | null;
            /** @enum {string} */
            role: "member" | "admin" | "owner";
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
            role: components["schemas"]["Role"];
        };
        Import: {
            progress: number;
            reason: components["schemas"]["Reason"] | null;
            /** @enum {string} */
            state: "requested" | "running" | "done" | "declined" | "failed";
        };
        InboxCounts: {
            at_risk: number;
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
            scopes: components["schemas"]["Scope"][];
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
            access_profile: components["schemas"]["AccessProfile"];
            created_at: string;
            email: string;
            expires_at: string;
            id: string;
            name: string;
            role: components["schemas"]["Role"];
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
            role: components["schemas"]["Role"];
            sector_ids?: string[];
        };
        Job: {
            cancellable: boolean;
            created_at: string;
            created_by: components["schemas"]["Ref"];
            dry_run: boolean;
            error: components["schemas"]["Failure"] | null;
            finished_at: string | null;
            id: string;
            kind: string;
            progress: components["schemas"]["Progress"];
            result: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            status: "running" | "done" | "failed";
        };
        KanbanCardCompletedEvent: {
            created_at: string;
            data: {
                card: components["schemas"]["Card"];
            };
            id: string;
            tenant_id: string;
            /** @enum {string} */
            type: "kanban.card.completed";
        };
        KanbanCardCreatedEvent: {
            created_at: string;
            data: {
                card: components["schemas"]["Card"];
            };
            id: string;
            tenant_id: string;
            /** @enum {string} */
            type: "kanban.card.created";
        };
        KanbanCardMovedEvent: {
            created_at: string;
            data: {
                card: components["schemas"]["Card"];
                from_stage_id: string;
                moved_by: components["schemas"]["Ref"] | null;
                to_stage_id: string;
            };
            id: string;
            tenant_id: string;
            /** @enum {string} */
            type: "kanban.card.moved";
        };
        Key: {
            /** @enum {string} */
            acts_as: "person" | "integration";
            boards: string[] | null;
            created_at: string;
            expires_at: string | null;
            id: string;
            last_used_at: string | null;
            name: string;
            rate: components["schemas"]["Rate"];
            revoked_at: string | null;
            scopes: components["schemas"]["Scope"][];
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
        LabelReport: {
            closed: number;
            first_response: components["schemas"]["Times"];
            label: components["schemas"]["Ref"];
            opened: number;
            resolution: components["schemas"]["Times"];
        };
        LastMessage: {
            created_at: string;
            /** @enum {string} */
            direction: "inbound" | "outbound";
            duration_seconds: number | null;
            file_name: string | null;
            id: string;
            notice: components["schemas"]["MessageNotice"] | null;
            /** @enum {string} */
            status: "held" | "queued" | "sent" | "delivered" | "read" | "failed" | "received";
            text: string | null;
            /** @enum {string} */
            type: "text" | "image" | "audio" | "video" | "document" | "sticker" | "location" | "contacts" | "interactive" | "unsupported";
        };
        Link: {
            error: components["schemas"]["Reason"] | null;
            expires_at: string | null;
            history: number | null;
            online: boolean;
            pairing_code: string | null;
            phone: string | null;
            qr: string | null;
            seen_at: string | null;
            /** @enum {string} */
            state: "waiting" | "scanned" | "linked" | "failed";
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
        ListClosingReason: {
            data: components["schemas"]["ClosingReason"][];
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
        ListPushSubscription: {
            data: components["schemas"]["PushSubscription"][];
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
        ListSLAPolicy: {
            data: components["schemas"]["SLAPolicy"][];
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
            access_profile: components["schemas"]["AccessProfile"];
            capacity: number | null;
            email: string;
            id: string;
            name: string;
            open_attendances: number;
            /** @enum {string} */
            presence: "online" | "away" | "offline";
            role: components["schemas"]["Role"];
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
            cost: components["schemas"]["Cost"] | null;
            created_at: string;
            delivered_at: string | null;
            /** @enum {string} */
            direction: "inbound" | "outbound";
            edited_at: string | null;
            error: components["schemas"]["Reason"] | null;
            external_id: string | null;
            form: components["schemas"]["Form"] | null;
            id: string;
            integration: components["schemas"]["Ref"] | null;
            interactive: components["schemas"]["Interactive"] | null;
            media: components["schemas"]["MessageMedia"] | null;
            media_id: string | null;
            notice: components["schemas"]["MessageNotice"] | null;
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
            standby: boolean;
            /** @enum {string} */
            status: "held" | "queued" | "sent" | "delivered" | "read" | "failed" | "received";
            text: string | null;
            /** @enum {string} */
            type: "text" | "image" | "audio" | "video" | "document" | "sticker" | "location" | "contacts" | "interactive" | "unsupported";
            voice: boolean;
        };
        MessageAuthor: {
            id: string | null;
            name: string;
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
        MessageNotice: {
            code: string;
            params: {
                [key: string]: unknown;
            };
        };
        MessagePage: {
            after: string | null;
            before: string | null;
            data: components["schemas"]["Message"][];
        };
        MessageRate: {
            amount: number;
            /** @enum {string} */
            category: "marketing" | "utility" | "authentication" | "service";
            country: string;
            from: string;
        };
        MessageRates: {
            currency: string | null;
            free_service_per_month: number;
            rates: components["schemas"]["MessageRate"][];
        };
        MessageReceivedEvent: {
            created_at: string;
            data: {
                conversation: components["schemas"]["Conversation"];
                message: components["schemas"]["Message"];
                sequence: number;
            };
            id: string;
            tenant_id: string;
            /** @enum {string} */
            type: "message.received";
        };
        MessageSentEvent: {
            created_at: string;
            data: {
                conversation: components["schemas"]["Conversation"];
                message: components["schemas"]["Message"];
                sequence: number;
            };
            id: string;
            tenant_id: string;
            /** @enum {string} */
            type: "message.sent";
        };
        MessageUpdatedEvent: {
            created_at: string;
            data: {
                changed: string[];
                conversation: components["schemas"]["Conversation"];
                message: components["schemas"]["Message"];
                sequence: number;
            };
            id: string;
            tenant_id: string;
            /** @enum {string} */
            type: "message.updated";
        };
        MoveCardInputBody: {
            before_card_id?: string | null;
            note?: string;
            reason_id?: string;
            stage_id: string;
            version?: number;
        };
        NewKey: {
            /** @enum {string} */
            acts_as: "person" | "integration";
            boards: string[] | null;
            created_at: string;
            expires_at: string | null;
            id: string;
            key: string | null;
            last_used_at: string | null;
            name: string;
            rate: components["schemas"]["Rate"];
            revoked_at: string | null;
            scopes: components["schemas"]["Scope"][];
            user: components["schemas"]["Ref"];
        };
        NewKeys: {
            auth: string;
            p256dh: string;
        };
        NewTemplateButton: {
            example?: string | null;
            phone_number?: string | null;
            text: string;
            /** @enum {string} */
            type: "quick_reply" | "url" | "phone";
            url?: string | null;
        };
        NewWebhook: {
            active: boolean;
            consecutive_failures: number;
            created_at: string;
            events: components["schemas"]["EventType"][];
            id: string;
            name: string;
            secret: string | null;
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
        NoteCreatedEvent: {
            created_at: string;
            data: {
                conversation: components["schemas"]["Conversation"];
                note: components["schemas"]["Note"];
                sequence: number;
            };
            id: string;
            tenant_id: string;
            /** @enum {string} */
            type: "note.created";
        };
        Notification: {
            by: components["schemas"]["Ref"] | null;
            conversation: components["schemas"]["Ref"] | null;
            created_at: string;
            entry: string | null;
            id: string;
            /** @enum {string} */
            kind: "assigned" | "mentioned" | "waiting" | "snooze_ended" | "message_failed" | "sla_warning" | "sla_breached" | "budget_warning" | "channel_disconnected";
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
            sla: components["schemas"]["OpenTarget"] | null;
            waiting_since: string | null;
        };
        OpenConversationInputBody: {
            channel_id: string;
            contact_id?: string;
            name?: string;
            phone?: string;
        };
        OpenTarget: {
            due_at: string;
            /** @enum {string} */
            state: "pending" | "warned" | "breached";
            /** @enum {string} */
            target: "first" | "next" | "resolution";
        };
        OptOutSettings: {
            confirmation: string | null;
            welcome_back: string | null;
        };
        PairInputBody: {
            phone: string;
        };
        PasswordInputBody: {
            password: string;
        };
        PasswordStruct: {
            current: string;
            new: string;
        };
        PersonNow: {
            oldest_waiting_at: string | null;
            open: number;
            /** @enum {string} */
            presence: "online" | "away" | "offline";
            unanswered: number;
            unassigned: number;
            user: components["schemas"]["Ref"];
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
            language_chosen: boolean;
            /** @enum {string} */
            mark_read: "opening" | "answering";
            /** @enum {string} */
            notify: "mine_and_queues" | "everything" | "nothing";
            push: components["schemas"]["PushPreferences"];
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
            push?: components["schemas"]["PushChange"];
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
        PreviousReport: {
            from: string;
            to: string;
            totals: components["schemas"]["Figures"];
        };
        /** @enum {string} */
        Priority: "low" | "medium" | "high" | "urgent";
        PrivateChannel: {
            id: string;
            name: string;
            viewers: components["schemas"]["Viewer"][];
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
        Progress: {
            done: number;
            total: number;
        };
        PushChange: {
            kinds?: ("message" | "assigned" | "mention" | "queue" | "failed" | "sla")[];
            quiet?: {
                from: string;
                to: string;
            } | null;
        };
        PushKey: {
            key: string;
        };
        PushPreferences: {
            kinds: ("message" | "assigned" | "mention" | "queue" | "failed" | "sla")[];
            quiet: components["schemas"]["QuietHours"] | null;
        };
        PushSubscription: {
            created_at: string;
            current: boolean;
            device: string;
            id: string;
            last_used_at: string | null;
            updated_at: string;
        };
        PushTest: {
            code: string | null;
            params: {
                [key: string]: unknown;
            };
            removed: boolean;
            sent: boolean;
            status_code: number | null;
        };
        Queue: {
            channel: string;
            oldest_waiting_at: string | null;
            waiting: number;
        };
        QuietHours: {
            from: string;
            to: string;
        };
        Rate: {
            burst: number;
            per_second: number;
        };
        RateEstimate: {
            amounts: components["schemas"]["CategoryAmounts"];
            currency: string | null;
        };
        RateInput: {
            amount: number;
            /** @enum {string} */
            category: "marketing" | "utility" | "authentication" | "service";
            country: string;
            from: string;
        };
        Ratings: {
            1: number;
            2: number;
            3: number;
            4: number;
            5: number;
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
        Reason: {
            code: string;
            message: string;
            params: {
                [key: string]: unknown;
            };
        };
        ReasonChange: {
            active?: boolean;
            name?: string;
            position?: number;
            require_note?: boolean;
            sector_ids?: string[];
        };
        ReasonReport: {
            closed: number;
            first_response: components["schemas"]["Times"];
            opened: number;
            reason: components["schemas"]["Ref"] | null;
            resolution: components["schemas"]["Times"];
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
            cause: components["schemas"]["Cause"] | null;
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
            recovery_codes: string[] | null;
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
        ReopenTemplate: {
            language: string;
            name: string;
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
            by_channel: components["schemas"]["ChannelReport"][];
            by_day: components["schemas"]["DayReport"][];
            by_hour: number[][];
            by_label: components["schemas"]["LabelReport"][];
            by_person: components["schemas"]["PersonReport"][];
            by_reason: components["schemas"]["ReasonReport"][];
            by_sector: components["schemas"]["SectorReport"][];
            from: string;
            previous: components["schemas"]["PreviousReport"];
            sla: components["schemas"]["SLAReport"];
            survey: components["schemas"]["SurveyReport"];
            timezone: string;
            to: string;
            totals: components["schemas"]["Figures"];
        };
        Retention: {
            audit_days: number | null;
            media_days: number | null;
            messages_days: number | null;
        };
        RetentionChange: {
            audit_days?: number | null;
            media_days?: number | null;
            messages_days?: number | null;
        };
        RetentionPreview: {
            audit: number;
            media: number;
            media_bytes: number;
            messages: number;
            notes: number;
        };
        /** @enum {string} */
        Role: "owner" | "admin" | "manager" | "agent";
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
            error: components["schemas"]["Reason"] | null;
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
        /** @enum {string} */
        Scope: "conversations:read" | "conversations:write" | "messages:read" | "messages:send" | "media:write" | "contacts:read" | "contacts:write" | "attendances:read" | "attendances:write" | "team:read" | "reports:read" | "webhooks:manage" | "read" | "write" | "labels:write" | "team:manage" | "channels:manage" | "company:manage" | "keys:manage" | "events:read" | "notes:read" | "notes:write" | "replies:manage" | "audit:read" | "data:manage";
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
        SectorNow: {
            oldest_waiting_at: string | null;
            open: number;
            sector: components["schemas"]["Ref"] | null;
            unanswered: number;
            unassigned: number;
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
            /** @enum {string} */
            when_closed?: "fail" | "hold";
        };
        SentDelivery: {
            attempts: components["schemas"]["Attempt"][];
            body: string | null;
            created_at: string;
            /** @enum {string} */
            event: "message.received" | "message.sent" | "conversation.updated" | "attendance.opened" | "attendance.closed" | "kanban.card.created" | "kanban.card.moved" | "kanban.card.completed" | "message.updated" | "note.created" | "attendance.rated" | "attendance.sla_warning" | "attendance.sla_breached" | "webhook.test";
            event_id: string;
            finished_at: string | null;
            id: string;
            next_attempt_at: string | null;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
        };
        ServiceLevel: {
            first: components["schemas"]["Target"] | null;
            next: components["schemas"]["Target"] | null;
            policy: components["schemas"]["Ref"];
            resolution: components["schemas"]["Target"] | null;
        };
        Session: {
            api_version: string;
            company: components["schemas"]["Company"];
            expires_at: string;
            scopes: components["schemas"]["Scope"][];
            user: components["schemas"]["SessionUser"];
        };
        SessionUser: {
            access_profile: components["schemas"]["AccessProfile"];
            capacity: number | null;
            email: string;
            id: string;
            name: string;
            open_attendances: number;
            /** @enum {string} */
            presence: "online" | "away" | "offline";
            role: components["schemas"]["Role"];
            sectors: components["schemas"]["Ref"][];
            signature: string;
            two_factor: boolean;
        };
        SetBotInputBody: {
            paused_until: string | null;
        };
        SetRatesInputBody: {
            currency?: string | null;
            free_service_per_month?: number;
            rates: components["schemas"]["RateInput"][];
        };
        SetSectorInputBody: {
            reason?: string;
            sector_id?: string | null;
        };
        SetSurveyInputBody: {
            delay_minutes?: number;
            enabled?: boolean;
            low_question?: string | null;
            min_days?: number;
            question?: string;
            sector_ids?: string[];
            thanks?: string | null;
            valid_hours?: number;
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
        SLAPolicy: {
            /** @enum {string} */
            clock: "always" | "hours";
            created_at: string;
            first_response_minutes: number | null;
            id: string;
            name: string;
            next_response_minutes: number | null;
            resolution_minutes: number | null;
            sector_ids: string[];
            updated_at: string;
            warn_percent: number;
        };
        SLAReport: {
            first: components["schemas"]["TargetReport"];
            next: components["schemas"]["TargetReport"];
            resolution: components["schemas"]["TargetReport"];
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
        SubscribeInputBody: {
            device?: string;
            endpoint: string;
            keys: components["schemas"]["NewKeys"];
        };
        Survey: {
            answered_at: string | null;
            comment: string | null;
            rating: number | null;
            sent_at: string | null;
            /** @enum {string} */
            status: "none" | "sent" | "answered" | "expired" | "skipped";
        };
        SurveyReport: {
            answered: number;
            average: number | null;
            by_rating: components["schemas"]["Ratings"];
            sent: number;
            share_satisfied: number | null;
            skipped: number;
        };
        SurveySettings: {
            delay_minutes: number;
            enabled: boolean;
            low_question: string | null;
            min_days: number;
            question: string;
            sector_ids: string[];
            thanks: string | null;
            valid_hours: number;
        };
        Target: {
            due_at: string;
            met_at: string | null;
            /** @enum {string} */
            state: "pending" | "met" | "warned" | "breached";
        };
        TargetReport: {
            breached: number;
            met: number;
        };
        TemplateBody: {
            language: string;
            name: string;
            parameters?: components["schemas"]["TemplateParameter"][];
        };
        TemplateButton: {
            example?: string;
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
            secret: string | null;
            url: string | null;
        };
        UpdateAttendanceInputBody: {
            fields?: {
                [key: string]: unknown;
            };
        };
        UpdateBoardInputBody: {
            archived?: boolean;
            name?: string;
        };
        UpdateBudgetInputBody: {
            monthly_amount?: number | null;
            warn_percent?: number;
        };
        UpdateCardInputBody: {
            assignee?: string | null;
            contact?: string | null;
            conversation?: string | null;
            description?: string | null;
            due_at?: string | null;
            fields?: {
                [key: string]: unknown;
            };
            label_ids?: string[];
            priority?: components["schemas"]["Priority"];
            private?: boolean;
            /** @enum {string} */
            status?: "open" | "archived";
            title?: string;
            version?: number;
        };
        UpdateChannelInputBody: {
            coexistence?: boolean;
            confirm?: boolean;
            credentials?: components["schemas"]["CredentialsStruct"];
            hours_id?: string | null;
            messages_per_minute?: number;
            name?: string;
            private?: boolean;
            reopen_template?: {
                language: string;
                name: string;
            } | null;
            sign?: boolean;
            /** @enum {string} */
            status?: "connected" | "disconnected";
            viewers?: string[];
        };
        UpdateCompanyInputBody: {
            name?: string;
            push_texts?: boolean;
            timezone?: string;
        };
        UpdateContactInputBody: {
            automation?: boolean;
            blocked?: boolean;
            city?: string | null;
            company?: string | null;
            fields?: {
                [key: string]: unknown;
            };
            label_ids?: string[];
            name?: string;
            opted_out?: boolean;
            phone?: string;
        };
        UpdateConversationInputBody: {
            archived?: boolean;
            cases?: boolean;
            label_ids?: string[];
            muted?: boolean;
            name?: string;
            pinned?: boolean;
        };
        UpdateFieldInputBody: {
            name?: string;
            options?: string[];
            position?: number;
            required_on_close?: boolean;
        };
        UpdateHeldInputBody: {
            text: string;
        };
        UpdateHoursInputBody: {
            exceptions?: components["schemas"]["HoursException"][];
            name?: string;
            timezone?: string;
            weekly?: components["schemas"]["WeeklyPeriod"][];
        };
        UpdateKeyInputBody: {
            /** @enum {string} */
            acts_as?: "person" | "integration";
            name?: string;
        };
        UpdateLabelInputBody: {
            color?: string;
            name?: string;
        };
        UpdateMemberInputBody: {
            access_profile?: components["schemas"]["AccessProfile"];
            capacity?: number | null;
            email?: string;
            name?: string;
            role?: components["schemas"]["Role"];
            sector_ids?: string[];
        };
        UpdateNoteInputBody: {
            mentions?: string[];
            text?: string;
        };
        UpdateOptOutInputBody: {
            confirmation?: string | null;
            welcome_back?: string | null;
        };
        UpdatePolicyInputBody: {
            /** @enum {string} */
            clock?: "always" | "hours";
            first_response_minutes?: number | null;
            name?: string;
            next_response_minutes?: number | null;
            resolution_minutes?: number | null;
            sector_ids?: string[];
            warn_percent?: number;
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
            grace_for_customers?: boolean;
            grace_minutes?: number;
            hours_id?: string | null;
            keep_revoked?: boolean;
            /** @enum {string} */
            mode?: "restricted" | "liberal";
            require_reason?: boolean;
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
            events?: components["schemas"]["EventType"][];
            name?: string;
            replay?: boolean;
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
        Viewer: {
            id: string;
            name: string;
            pending?: boolean;
        };
        ViewQuery: {
            archived?: boolean | ("true" | "false" | "1" | "0");
            assignee?: string;
            channel?: string;
            /** @enum {string} */
            kind?: "direct" | "group";
            label?: string;
            q?: string;
            sector?: string;
            /** @enum {string} */
            sla?: "warned" | "breached" | "at_risk";
            snoozed?: boolean | ("true" | "false" | "1" | "0");
            /** @enum {string} */
            sort?: "newest" | "oldest_waiting" | "sla_due";
            /** @enum {string} */
            status?: "open" | "waiting" | "closed";
            unread?: boolean | ("true" | "false" | "1" | "0");
        };
        Webhook: {
            active: boolean;
            consecutive_failures: number;
            created_at: string;
            events: components["schemas"]["EventType"][];
            id: string;
            name: string;
            updated_at: string;
            url: string;
        };
        WebhookEvent: {
            description: string;
            name: components["schemas"]["EventType"];
        };
        WebhookTestEvent: {
            created_at: string;
            data: {
                webhook: {
                    id: string;
                    name: string;
                };
            };
            id: string;
            tenant_id: string;
            /** @enum {string} */
            type: "webhook.test";
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
    listAttendances: {
        parameters: {
            query?: {
                assignee?: string;
                channel?: string;
                conversation?: string;
                cursor?: string;
                fields?: {
                    [key: string]: string;
                };
                format?: "json" | "csv";
                from?: string;
                label?: string;
                limit?: number;
                on?: "opened" | "answered" | "closed";
                protocol?: string;
                rating?: "1" | "2" | "3" | "4" | "5" | "low" | "high";
                reason?: string;
                sector?: string;
                sla?: "met" | "pending" | "warned" | "breached";
                status?: "open" | "closed";
                survey?: "none" | "sent" | "answered" | "expired" | "skipped";
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
                    "application/json": components["schemas"]["CursorListAttendance"];
                };
            };
        };
    };
    getAttendance: {
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
    updateAttendance: {
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
                "application/json": components["schemas"]["UpdateAttendanceInputBody"];
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
    listAudit: {
        parameters: {
            query?: {
                action?: string;
                actor?: string;
                cursor?: string;
                format?: "json" | "csv";
                from?: string;
                limit?: number;
                subject?: string;
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
                    "application/json": components["schemas"]["CursorListAuditEntry"];
                };
            };
        };
    };
    listChannels: {
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
    createChannel: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    getChannel: {
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
                    "application/json": components["schemas"]["Channel"];
                };
            };
        };
    };
    archiveChannel: {
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
    updateChannel: {
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
    getChannelConnection: {
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
    followLink: {
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
                    "text/event-stream": string;
                };
            };
        };
    };
    pairByPhone: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PairInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
        };
    };
    unlinkChannel: {
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
    getReception: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
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
    setReception: {
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
    tryReception: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    simulateChannel: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    listTemplates: {
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
    createTemplate: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTemplateInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelTemplate"];
                };
            };
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                name: string;
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
    syncTemplates: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    testChannel: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    listReasons: {
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
                    "application/json": components["schemas"]["ListClosingReason"];
                };
            };
        };
    };
    createReason: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateReasonInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClosingReason"];
                };
            };
        };
    };
    deleteReason: {
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
    updateReason: {
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
                "application/json": components["schemas"]["ReasonChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClosingReason"];
                };
            };
        };
    };
    getCompany: {
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
                    "application/json": components["schemas"]["CompanySettings"];
                };
            };
        };
    };
    updateCompany: {
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
                    "application/json": components["schemas"]["CompanySettings"];
                };
            };
        };
    };
    getAttendanceRules: {
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
    updateAttendanceRules: {
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
    getBudget: {
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
                    "application/json": components["schemas"]["Budget"];
                };
            };
        };
    };
    updateBudget: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateBudgetInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Budget"];
                };
            };
        };
    };
    getOptOut: {
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
                    "application/json": components["schemas"]["OptOutSettings"];
                };
            };
        };
    };
    updateOptOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateOptOutInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptOutSettings"];
                };
            };
        };
    };
    getRates: {
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
                    "application/json": components["schemas"]["MessageRates"];
                };
            };
        };
    };
    setRates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetRatesInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageRates"];
                };
            };
        };
    };
    getRetention: {
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
                    "application/json": components["schemas"]["Retention"];
                };
            };
        };
    };
    updateRetention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetentionChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Retention"];
                };
            };
        };
    };
    previewRetention: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetentionChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetentionPreview"];
                };
            };
        };
    };
    getSurvey: {
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
                    "application/json": components["schemas"]["SurveySettings"];
                };
            };
        };
    };
    setSurvey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetSurveyInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SurveySettings"];
                };
            };
        };
    };
    listContacts: {
        parameters: {
            query?: {
                channel?: string;
                fields?: {
                    [key: string]: string;
                };
                format?: "json" | "csv";
                label?: string;
                limit?: number;
                offset?: number;
                opted_out?: "true" | "false" | "1" | "0";
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
    createContact: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    getContact: {
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
    deleteContact: {
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
    updateContact: {
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
    eraseContact: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EraseInput"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    previewErase: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
                    "application/json": components["schemas"]["ErasePreview"];
                };
            };
        };
    };
    exportContact: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    listConversations: {
        parameters: {
            query?: {
                archived?: "true" | "false" | "1" | "0";
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
                sla?: "warned" | "breached" | "at_risk";
                snoozed?: "true" | "false" | "1" | "0";
                sort?: "newest" | "oldest_waiting" | "sla_due";
                status?: "open" | "waiting" | "closed";
                unread?: "true" | "false" | "1" | "0";
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
    openConversation: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    getConversation: {
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
    updateConversation: {
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
    reportActivity: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    listAssignments: {
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
    getCurrentAttendance: {
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
    closeAttendance: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    reopenAttendance: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    setConversationBot: {
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
    saveDraft: {
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
    deleteDraft: {
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
    listFiles: {
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
    listGroupMembers: {
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
                    "application/json": components["schemas"]["CursorListGroupMember"];
                };
            };
        };
    };
    listMessages: {
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
    sendMessage: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    listNotes: {
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
    createNote: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    getGroupPicture: {
        parameters: {
            query?: {
                v?: string;
            };
            header?: {
                "If-None-Match"?: string;
            };
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
    getConversationRates: {
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
                    "application/json": components["schemas"]["RateEstimate"];
                };
            };
        };
    };
    markConversationRead: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    listScheduledMessages: {
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
    scheduleMessage: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    setConversationSector: {
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
    snoozeConversation: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    takeConversation: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    getTimeline: {
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
    transferConversation: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    markConversationUnread: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    changeConversations: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    listEvents: {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
                order?: "asc" | "desc";
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
    followEvents: {
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
    listFields: {
        parameters: {
            query?: {
                cursor?: string;
                entity?: "contact" | "attendance" | "card";
                limit?: number;
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
                    "application/json": components["schemas"]["CursorListField"];
                };
            };
        };
    };
    createField: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateFieldInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Field"];
                };
            };
        };
    };
    deleteField: {
        parameters: {
            query?: {
                confirm?: "true" | "false" | "1" | "0";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DeleteFieldInputBody"];
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
    updateField: {
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
                "application/json": components["schemas"]["UpdateFieldInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Field"];
                };
            };
        };
    };
    listHours: {
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
    createHours: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    getHours: {
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
    deleteHours: {
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
    updateHours: {
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
    getHoursStatus: {
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
    listHolidays: {
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
    importFile: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    channel?: string;
                    contact?: string;
                    /** @enum {string} */
                    date_order?: "dmy" | "mdy" | "ymd";
                    /** @enum {string} */
                    dry_run?: "true" | "false" | "1" | "0";
                    file: string;
                    /** @enum {string} */
                    kind: "contacts" | "chat";
                    mapping?: string;
                    me?: string;
                    phone?: string;
                    timezone?: string;
                };
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    getInboxCounts: {
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
    listWebhooks: {
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
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    getWebhook: {
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
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteWebhook: {
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
    updateWebhook: {
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
    listDeliveries: {
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
    getDelivery: {
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
    redeliverWebhook: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    listWebhookEvents: {
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
    listJobs: {
        parameters: {
            query?: {
                cursor?: string;
                dry_run?: "true" | "false" | "1" | "0";
                kind?: string;
                limit?: number;
                status?: "running" | "done" | "failed";
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
                    "application/json": components["schemas"]["CursorListJob"];
                };
            };
        };
    };
    getJob: {
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
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    listBoards: {
        parameters: {
            query?: {
                archived?: "0" | "1" | "true" | "false";
            };
            header?: {
                "If-None-Match"?: string;
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
                    "application/json": components["schemas"]["Board"][];
                };
            };
        };
    };
    createBoard: {
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
    getBoard: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
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
    updateBoard: {
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
    getBoardCounts: {
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
    createStage: {
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
    deleteStage: {
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
    updateStage: {
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
    listCards: {
        parameters: {
            query?: {
                assignee?: string;
                board_id?: string;
                conversation?: string;
                cursor?: string;
                due?: "any" | "today" | "week" | "overdue" | "none";
                fields?: {
                    [key: string]: string;
                };
                format?: "json" | "csv";
                label?: string;
                limit?: number;
                priority?: components["schemas"]["Priority"];
                q?: string;
                sort?: "newest" | "position";
                stage_id?: string;
                status?: "open" | "completed" | "lost" | "archived" | "all";
                tz?: string;
            };
            header?: {
                "If-None-Match"?: string;
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
                    "application/json": components["schemas"]["CursorListCard"];
                };
            };
        };
    };
    createCard: {
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
    getCard: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
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
    deleteCard: {
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
    updateCard: {
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
    moveCard: {
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
    listKeys: {
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
    createKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    getKey: {
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
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    revokeKey: {
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
    updateKey: {
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
                "application/json": components["schemas"]["UpdateKeyInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    listLabels: {
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
    createLabel: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    getLabel: {
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
                    "application/json": components["schemas"]["Label"];
                };
            };
        };
    };
    deleteLabel: {
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
    updateLabel: {
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
    followLive: {
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
    getIdentity: {
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
    updateProfile: {
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
    listNotifications: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                unread?: "true" | "false" | "1" | "0";
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
    readNotifications: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    getPreferences: {
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
    updatePreferences: {
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
    setPresence: {
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
    getPushKey: {
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
                    "application/json": components["schemas"]["PushKey"];
                };
            };
        };
    };
    listPushSubscriptions: {
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
                    "application/json": components["schemas"]["ListPushSubscription"];
                };
            };
        };
    };
    createPushSubscription: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscribeInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscription"];
                };
            };
        };
    };
    deletePushSubscription: {
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
    testPushSubscription: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
                    "application/json": components["schemas"]["PushTest"];
                };
            };
        };
    };
    beginTwoFactor: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    removeTwoFactor: {
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
    confirmTwoFactor: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    disableTwoFactor: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    uploadMedia: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    getMedia: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
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
                    "application/json": components["schemas"]["Media"];
                };
            };
        };
    };
    getMediaContent: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
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
    getMediaLink: {
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
    searchMessages: {
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
    getMessage: {
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
    cancelHeldMessage: {
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
    updateHeldMessage: {
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
                "application/json": components["schemas"]["UpdateHeldInputBody"];
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
    reactToMessage: {
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
    removeReaction: {
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
    deleteNote: {
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
    updateNote: {
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
    listPrivateChannels: {
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
    listReplies: {
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
    createReply: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    deleteReply: {
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
    updateReply: {
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
    renderReply: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    getAttendanceReport: {
        parameters: {
            query?: {
                format?: "json" | "csv";
                from?: string;
                sector?: string;
                table?: "totals" | "previous" | "by_day" | "by_person" | "by_sector" | "by_channel" | "by_label" | "by_reason" | "by_hour" | "survey" | "sla";
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
    getCostReport: {
        parameters: {
            query?: {
                by?: "day" | "channel" | "sector" | "user" | "category" | "origin";
                format?: "json" | "csv";
                from?: string;
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
                    "application/json": components["schemas"]["CostReport"];
                };
            };
        };
    };
    getCurrentReport: {
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
                    "application/json": components["schemas"]["CurrentReport"];
                };
            };
        };
    };
    cancelScheduledMessage: {
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
    updateScheduledMessage: {
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
    listSectors: {
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
    createSector: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    getSector: {
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
                    "application/json": components["schemas"]["Sector"];
                };
            };
        };
    };
    removeSector: {
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
    updateSector: {
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
    getDistribution: {
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
    getSession: {
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
    signIn: {
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
    signOut: {
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
    listSessions: {
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
    endOtherSessions: {
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
    endSession: {
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
    getSetup: {
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
    setUp: {
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
    listSlaPolicies: {
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
                    "application/json": components["schemas"]["ListSLAPolicy"];
                };
            };
        };
    };
    createSlaPolicy: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePolicyInputBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SLAPolicy"];
                };
            };
        };
    };
    deleteSlaPolicy: {
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
    updateSlaPolicy: {
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
                "application/json": components["schemas"]["UpdatePolicyInputBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SLAPolicy"];
                };
            };
        };
    };
    listTeam: {
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
    createMember: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    getMember: {
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
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    removeMember: {
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
    updateMember: {
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
    createResetLink: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    endMemberSessions: {
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
    listInvitations: {
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
    inviteMember: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    cancelInvitation: {
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
    listViews: {
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
    createView: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
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
    deleteView: {
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
    updateView: {
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
    getWelcome: {
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
    acceptWelcome: {
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
    | "already_linked"
    | "attendance_not_open"
    | "attendance_restricted"
    | "body_too_large"
    | "channel_archived"
    | "channel_disconnected"
    | "client_id_conflict"
    | "code_invalid"
    | "code_required"
    | "company_required"
    | "contact_blocked"
    | "contact_exists"
    | "cross_origin"
    | "field_required"
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
    | "job_finished"
    | "job_not_cancellable"
    | "key_expired"
    | "key_invalid"
    | "key_missing"
    | "key_revoked"
    | "limit_reached"
    | "login_failed"
    | "media_too_large"
    | "media_type_not_allowed"
    | "message_not_sent"
    | "method_not_allowed"
    | "name_taken"
    | "no_reopen_template"
    | "not_a_sector_member"
    | "not_editable"
    | "not_found"
    | "not_held"
    | "not_scheduled"
    | "not_visible"
    | "opted_out"
    | "rate_limited"
    | "reason_required"
    | "reopen_too_late"
    | "service_window_closed"
    | "session_changed"
    | "session_missing"
    | "session_required"
    | "stage_not_empty"
    | "storage_full"
    | "template_unavailable"
    | "two_factor_active"
    | "unavailable"
    | "uncertain"
    | "url_not_allowed"
    | "version_conflict"
    | "version_required"
    | "webhook_limit";
